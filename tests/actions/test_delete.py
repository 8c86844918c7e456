"""Deleting: a stone for people, nothing more for agents, and the record of what was shown stays."""

from __future__ import annotations

import pytest

from messaging.actions.delete import delete
from messaging.actions.edit import edit
from messaging.mailbox import lease, shown
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Delivery, Turn, Utterance
from messaging.mailbox.say import answer
from messaging.transcript import read
from messaging.transcript.models import AuditEntry, Message, Tombstone
from tests.actions.deeds import answered, audited, begun, fates, heard_by_scout, journaled, refused
from tests.cast import Room, agent, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def room():
    return Room.open()


def test_a_stone_stands_where_it_was(room):
    message = room.say("alex", "a secret of mine")
    after = delete(person("alex"), message.id)
    assert (after.text, after.deleted_at is not None, after.seq) == ("", True, message.seq)
    assert read.page(person("sam"), room.session).items == [after]
    assert audited(message) == [("deleted", "alex")]
    assert journaled(room)[-1] == "tombstone"


def test_once_more_changes_nothing(room):
    message = room.say("alex", "hello", "active_agent")
    first = delete(person("alex"), message.id)
    before = journaled(room)
    assert delete(person("alex"), message.id) == first
    assert (journaled(room), Tombstone.objects.count(), AuditEntry.objects.filter(verb="deleted").count()) == (
        before,
        1,
        1,
    )


class TestWhoMay:
    @pytest.mark.parametrize("who", ["sam", "vic", "gus"])
    def test_others_words_are_for_who_moderates(self, room, who):
        message = room.say("alex", "mine")
        assert refused(lambda: delete(person(who), message.id, "I do not like it")) == (403, "no_capability")
        assert Message.objects.get(id=message.id).deleted_at is None

    def test_who_moderates_gives_a_reason(self, room):
        message = room.say("sam", "spam")
        assert refused(lambda: delete(person("mo"), message.id)) == (422, "invalid")
        assert refused(lambda: delete(person("mo"), message.id, "  ")) == (422, "invalid")
        assert delete(person("mo"), message.id, "spam").deleted_at is not None
        stone = Tombstone.objects.get()
        assert (stone.by.handle.spelled, stone.reason) == ("mo", "spam")
        assert AuditEntry.objects.get(about=message.id).detail == {"reason": "spam", "own": False}

    def test_who_moderates_deletes_what_an_agent_said(self, room):
        message = room.say(agent("scout"), "nonsense", "everyone")
        assert delete(person("mo"), message.id, "nonsense").deleted_at is not None

    def test_a_direct_message_is_its_authors(self, room):
        message = room.say("sam", "psst", "participant:mo")
        assert refused(lambda: delete(person("mo"), message.id, "it is about me")) == (403, "not_yours")
        assert refused(lambda: delete(person("alex"), message.id, "I own this")) == (404, "not_found")
        assert delete(person("sam"), message.id).deleted_at is not None

    def test_who_is_outside_finds_nothing(self, room):
        message = room.say("alex", "mine")
        assert refused(lambda: delete(person("xan"), message.id, "mine")) == (404, "not_found")


class TestBeforeItIsHeard:
    def test_no_agent_gets_it(self, room):
        message = room.say("alex", "a question", "active_agent")
        delete(person("alex"), message.id)
        assert fates(message) == [("mirror", "superseded", "deleted", 1)]
        assert claim(room.seat("mirror").id) is None
        assert not read.message(person("alex"), message.id).ever_delivered

    def test_what_waited_behind_it_comes_next(self, room):
        first, second = room.say("alex", "one", "active_agent"), room.say("sam", "two", "active_agent")
        delete(person("alex"), first.id)
        assert room.delivery(second, "mirror").cleared_at is not None
        held = begun(room)
        assert Delivery.objects.get(id=held.input).text == "two"

    def test_its_text_is_gone_from_the_page_of_the_agents_mailbox(self, room):
        message = room.say("alex", "a canary", "active_agent")
        delete(person("alex"), message.id)
        assert "a canary" not in str(read.mailbox(person("sam"), room.session, "mirror"))


class TestOnceItIsHeard:
    def test_it_says_that_an_agent_had_it_and_shows_it_no_more(self, room):
        message = room.say("alex", "a canary", "active_agent")
        answered(room)
        after = delete(person("alex"), message.id)
        assert after.ever_delivered
        assert [(one.disposition, one.withheld) for one in after.deliveries] == [("responded", True)]
        assert shown.newest(room.seat("mirror"), 10**6).heard == []
        assert Delivery.objects.get(message=message.id).text == "a canary"
        assert "a canary" not in str(read.mailbox(person("sam"), room.session, "mirror"))

    def test_what_others_said_is_still_shown(self, room):
        gone, kept = room.say("alex", "a canary", "everyone"), room.say("alex", "a control", "active_agent")
        answered(room)
        delete(person("alex"), gone.id)
        assert [str(row.message) for row in shown.newest(room.seat("mirror"), 10**6).heard] == [kept.id]

    def test_an_agents_own_answer_is_not_before_it_any_more(self, room):
        room.say("alex", "a question", "active_agent")
        answered(room, "a canary")
        room.say("alex", "another", "active_agent")
        answered(room, "a control")
        said = Message.objects.get(text="a canary")
        delete(person("mo"), said.id, "wrong")
        assert [row.text for row in shown.newest(room.seat("mirror"), 10**6).said] == ["a control"]
        assert Utterance.objects.get(text="a canary").withheld_at is not None
        assert room.seat("scout").deliveries.get(message=said.id).state == "superseded"

    def test_a_connected_agents_own_words_are_marked(self, room):
        message = room.say(agent("scout"), "a canary", "everyone")
        delete(person("mo"), message.id, "wrong")
        assert Utterance.objects.get(message=message.id).withheld_at is not None

    def test_a_turn_that_has_it_may_end_but_is_not_tried_again_on_it(self, room):
        message = room.say("alex", "a question", "active_agent")
        held = begun(room)
        delete(person("alex"), message.id)
        Turn.objects.filter(id=held.turn).update(lease_until=message.created_at)
        assert claim(room.seat("mirror").id) is None
        turn = Turn.objects.get(id=held.turn)
        assert (turn.state, turn.reason) == ("failed", "withheld")
        with pytest.raises(lease.LeaseLost):
            answer(held, "too late")

    def test_only_those_who_had_it_are_marked_the_others_never_get_it(self, room):
        message = room.say("alex", "for all", "everyone")
        heard_by_scout(room)
        delete(person("alex"), message.id)
        assert fates(message) == [("mirror", "superseded", "deleted", 1), ("scout", "delivered", "", 1)]
        assert list(
            Delivery.objects.filter(message=message.id, withheld_at__isnull=False).values_list("seat__handle")
        ) == [("scout",)]


def test_nothing_is_done_to_it_afterwards(room):
    message = room.say("alex", "hello", "active_agent")
    delete(person("alex"), message.id)
    assert refused(lambda: edit(person("alex"), message.id, "hello again")) == (409, "deleted")


def test_a_reply_keeps_its_link(room):
    parent = room.say("alex", "hello", "everyone")
    from uuid import UUID

    reply = room.say("sam", "and you", "everyone", reply_to=UUID(parent.id))
    heard_by_scout(room)
    delete(person("alex"), parent.id)
    assert read.message(person("sam"), reply.id).reply_to == parent.id
    assert shown.had(room.seat("scout").id, [UUID(parent.id)]) == set()
    assert room.refused("sam", "more", "everyone", reply_to=UUID(parent.id)).code == "no_such_parent"
