"""Changing who may hear a message: who may, what agents get or lose of it, and what stays on record."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.utils import timezone

from messaging.actions.delete import delete
from messaging.actions.edit import edit
from messaging.actions.reclassify import reclassify
from messaging.mailbox import shown
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Delivery, Transition, Utterance
from messaging.roster.models import Account, Spend
from messaging.transcript import read
from messaging.transcript.models import AuditEntry, Message, Reclassification
from tests.actions.deeds import (
    answered,
    audited,
    begun,
    fates,
    heard_by_scout,
    journaled,
    made,
    put_out,
    refused,
    seated,
    unseated,
)  # fmt: skip
from tests.cast import Room, agent, person

pytestmark = pytest.mark.django_db
AGENT_BOUND = ["active_agent", "everyone", "agent:scout"]


@pytest.fixture
def room():
    return Room.open()


def to(who, message, said, reason="it belongs there", **more):
    more = {"confirm": said != "participants", "dispatch": "future_turn" if said == "agent:scout" else ""} | more
    return reclassify(person(who), message.id, said, reason, **more)


class TestTowardsAgents:
    def test_the_active_agent_is_asked_what_was_between_people(self, room):
        message = room.say("alex", "what do you think?")
        after = to("alex", message, "active_agent")
        assert (after.audience, after.text, after.seq) == ("active_agent", message.text, message.seq)
        assert fates(message) == [("mirror", "queued", "", 1)]
        answered(room, "I think")
        assert Message.objects.get(text="I think").answers_id == UUID(message.id)

    def test_it_stands_where_it_is_put_now_and_was_said_when_it_was_said(self, room):
        message = room.say("alex", "earlier")
        room.say("sam", "first in the queue", "active_agent")
        to("alex", message, "active_agent")
        row = room.delivery(message, "mirror")
        assert (row.place, row.cleared_at, row.said_at) == (2, None, Message.objects.get(id=message.id).created_at)

    @pytest.mark.parametrize(("said", "agents"), [("everyone", ["mirror", "scout"]), ("agent:scout", ["scout"])])
    def test_each_agent_of_the_new_audience_gets_it_as_a_new_one(self, room, said, agents):
        message = room.say("alex", "hello")
        to("alex", message, said)
        assert [one[0] for one in fates(message)] == agents
        assert Message.objects.get(id=message.id).targets == (["scout"] if said == "agent:scout" else [])

    def test_only_this_message_goes(self, room):
        room.say("alex", "a canary before")
        message = room.say("alex", "a control")
        room.say("alex", "a canary after")
        to("alex", message, "active_agent")
        assert [row.text for row in Delivery.objects.all()] == ["a control"]

    def test_only_its_current_text_goes(self, room):
        message = room.say("alex", "a canary")
        edit(person("alex"), message.id, "a control")
        to("alex", message, "active_agent")
        assert [(row.text, row.revision) for row in Delivery.objects.all()] == [("a control", 2)]

    @pytest.mark.parametrize("said", AGENT_BOUND)
    def test_it_takes_a_confirmation(self, room, said):
        message = room.say("alex", "between us")
        assert refused(lambda: to("alex", message, said, confirm=False)) == (409, "confirm_required")
        assert (Delivery.objects.count(), Reclassification.objects.count()) == (0, 0)

    def test_the_mark_of_an_old_client_is_gone_with_its_default(self, room):
        message = room.say("alex", "from an old client", None)
        assert message.compat == "v1-default"
        assert to("alex", message, "participants").compat == ""

    def test_a_question_is_counted_as_one(self, room):
        Spend.objects.create(who=person("sam").id, what="agent_input", window=timezone.now(), used=30)
        message = room.say("sam", "to people")
        assert refused(lambda: to("sam", message, "active_agent")) == (429, "too_fast")
        assert (Message.objects.get(id=message.id).audience, Delivery.objects.count()) == ("participants", 0)

    def test_a_full_queue_takes_nothing_more(self, room):
        for n in range(16):
            room.say(("alex", "sam")[n % 2], "hi", "active_agent")
        message = room.say("mo", "to people")
        assert refused(lambda: to("mo", message, "active_agent")) == (429, "queue_full")

    def test_people_give_an_agent_no_more_than_it_takes(self, room):
        message = room.say("alex", "a" * 8193)
        assert refused(lambda: to("alex", message, "active_agent")) == (413, "too_long")

    @pytest.mark.parametrize(("said", "dispatch", "code"), [
        ("agent:scout", "", "dispatch_required"), ("agent:scout", "telepathy", "invalid"), ("participants", "consult", "invalid"),
    ])  # fmt: skip
    def test_dispatch_is_said_as_in_a_post(self, room, said, dispatch, code):
        message = room.say("alex", "hi", "active_agent")
        assert refused(lambda: to("alex", message, said, dispatch=dispatch)) == (422, code)

    def test_an_agent_does_not_get_its_own_words(self, room):
        message = room.say(agent("scout"), "done", "participants")
        to("mo", message, "everyone")
        assert [one[0] for one in fates(message)] == ["mirror"]
        assert refused(lambda: to("mo", message, "agent:scout")) == (422, "no_such_target")


class TestTowardsPeople:
    def test_what_waits_is_withdrawn_and_never_heard(self, room):
        message = room.say("alex", "a question", "active_agent")
        after = to("alex", message, "participants")
        assert fates(message) == [("mirror", "superseded", "reclassified", 1)]
        assert (after.audience, after.ever_delivered) == ("participants", False)
        assert claim(room.seat("mirror").id) is None

    def test_what_waited_behind_it_comes_next(self, room):
        first, second = room.say("alex", "one", "active_agent"), room.say("sam", "two", "active_agent")
        to("alex", first, "participants")
        assert room.delivery(second, "mirror").cleared_at is not None

    def test_what_was_heard_is_withheld_and_says_for_ever_that_it_was_heard(self, room):
        message = room.say("alex", "a canary", "everyone")
        room.say("alex", "a question", "active_agent")
        answered(room)
        heard_by_scout(room)
        after = to("alex", message, "participants")
        assert after.ever_delivered
        assert {one.withheld for one in after.deliveries} == {True}
        assert [row.text for row in shown.newest(room.seat("mirror"), 10**6).heard] == ["a question"]
        assert to("alex", message, "active_agent").ever_delivered
        assert delete(person("alex"), message.id).ever_delivered

    def test_what_an_agent_said_is_not_before_it_any_more(self, room):
        room.say("alex", "a question", "active_agent")
        answered(room, "a canary")
        said = Message.objects.get(text="a canary")
        reclassify(person("mo"), str(said.id), "participants", "not for agents")
        assert shown.newest(room.seat("mirror"), 10**6).said == []
        assert Utterance.objects.get(text="a canary").withheld_at is not None

    def test_an_agent_keeps_its_own_words_where_other_agents_hear_them(self, room):
        message = room.say(agent("scout"), "done", "everyone")
        to("mo", message, "active_agent")
        assert Utterance.objects.get(message=message.id).withheld_at is None

    def test_nothing_that_was_heard_is_heard_again_by_coming_back(self, room):
        """Each way is a deed of its own: what comes back is a new delivery, and the old row stays withheld."""
        message = room.say("alex", "to and fro", "active_agent")
        answered(room)
        to("alex", message, "participants")
        to("alex", message, "active_agent")
        rows = Delivery.objects.filter(message=message.id).order_by("place")
        assert [(row.state, row.withheld_at is not None) for row in rows] == [("responded", True), ("queued", False)]


class TestBetweenAgents:
    def test_who_is_not_addressed_any_more_is_not_shown_it_again_and_who_still_is_keeps_it(self, room):
        message = room.say("alex", "for all", "everyone")
        heard_by_scout(room)
        to("alex", message, "active_agent")
        assert fates(message) == [
            ("mirror", "superseded", "reclassified", 1), ("mirror", "queued", "", 1), ("scout", "delivered", "", 1),
        ]  # fmt: skip
        assert room.delivery(message, "scout").withheld_at is not None
        assert list(
            Delivery.objects.filter(message=message.id, seat__handle="mirror", state="queued").values_list("purpose")
        ) == [("input",)]

    def test_who_heard_it_as_a_question_is_not_told_it_again_with_the_next(self, room):
        message = room.say("alex", "a question", "active_agent")
        answered(room)
        to("alex", message, "everyone")
        assert fates(message) == [("mirror", "responded", "", 1), ("scout", "queued", "", 1)]
        assert room.delivery(message, "mirror").withheld_at is None

    def test_but_it_is_told_another_text(self, room):
        message = room.say("alex", "a question", "active_agent")
        answered(room)
        edit(person("alex"), message.id, "another question")
        to("alex", message, "everyone")
        assert fates(message)[:2] == [("mirror", "responded", "", 1), ("mirror", "queued", "", 2)]


class TestWhoMay:
    @pytest.mark.parametrize("who", ["alex", "mo"])
    def test_owners_and_moderators_what_anybody_said(self, room, who):
        message = room.say("gus", "I wonder")
        assert to(who, message, "active_agent").audience == "active_agent"
        assert audited(message) == [("reclassified", who)]

    def test_members_what_they_said_themselves(self, room):
        mine, yours = room.say("sam", "mine"), room.say("alex", "yours")
        assert to("sam", mine, "active_agent").audience == "active_agent"
        assert refused(lambda: to("sam", yours, "active_agent")) == (403, "not_yours")

    @pytest.mark.parametrize("who", ["vic", "gus"])
    def test_nobody_who_lacks_the_right(self, room, who):
        message = room.say(who, "mine")
        assert refused(lambda: to(who, message, "active_agent")) == (403, "no_capability")
        assert not Delivery.objects.exists()

    def test_who_may_change_it_must_also_be_allowed_to_speak_to_them(self, room):
        room.session.roles = {"member": ["post_human", "reclassify"]}
        room.session.save()
        message = room.say("sam", "mine")
        assert refused(lambda: to("sam", message, "active_agent")) == (403, "no_capability")

    def test_to_whom_it_is_hidden_it_is_absent(self, room):
        direct = room.say("sam", "psst", "participant:vic")
        for who in ("alex", "mo", "xan"):
            assert refused(lambda who=who: to(who, direct, "participants")) == (404, "not_found")

    def test_a_direct_message_is_opened_by_its_author_alone(self, room):
        direct = room.say("sam", "psst", "participant:mo")
        assert refused(lambda: to("mo", direct, "participants")) == (403, "not_yours")
        assert to("sam", direct, "participants").audience == "participants"
        assert read.message(person("vic"), direct.id).text == "psst"

    def test_what_the_server_says_stays(self, room):
        seq = room.say("alex", "hello").seq
        row = Message.objects.create(
            session=room.session,
            seq=seq + 1000,
            author_kind="system",
            text="an event",
            audience="system",
            created_at=timezone.now(),
        )
        assert refused(lambda: to("alex", read.message(person("alex"), row.id), "active_agent")) == (403, "not_yours")

    def test_who_was_put_out_finds_nothing(self, room):
        message = room.say("sam", "mine")
        put_out(room, "sam")
        assert refused(lambda: to("sam", message, "active_agent")) == (404, "not_found")

    def test_a_closed_account_is_nobodys(self, room):
        message = room.say("sam", "mine")
        Account.objects.filter(username="sam").update(is_active=False)
        assert refused(lambda: to("sam", message, "active_agent")) == (401, "not_authenticated")


class TestWhatOthersSaidIsBroughtBeforeAnAgent:
    """It is the right of who brings it that counts, as long as it waits; the words stay their author's."""

    def brought(self, room):
        room.say("alex", "first in the queue", "active_agent")
        message = room.say("vic", "may I ask?")
        to("mo", message, "active_agent")
        return message

    def test_a_viewers_words_are_handed_on(self, room):
        message = self.brought(room)
        answered(room)
        row = room.delivery(message, "mirror")
        assert (row.state, row.cleared_at is not None, row.author) == ("queued", True, "vic")
        assert Transition.objects.get(delivery=row, step=1).by == "mo"
        assert not Spend.objects.filter(who=person("vic").id).exists()
        assert Spend.objects.get(who=person("mo").id).used == 1

    def test_when_who_brought_them_loses_the_right_they_are_rejected(self, room):
        message = self.brought(room)
        made(room, "mo", "viewer")
        assert fates(message) == [("mirror", "rejected", "no_capability", 1)]

    def test_and_when_they_leave(self, room):
        message = self.brought(room)
        put_out(room, "mo")
        assert fates(message) == [("mirror", "rejected", "not_member", 1)]

    def test_whether_their_author_stays_does_not_matter(self, room):
        message = self.brought(room)
        put_out(room, "vic")
        answered(room)
        assert room.delivery(message, "mirror").state == "queued"


class TestConflicts:
    @pytest.mark.parametrize("said", ["participants", *AGENT_BOUND])
    def test_for_whom_it_is_already(self, room, said):
        message = room.say("alex", "hi", said, dispatch="future_turn" if said == "agent:scout" else "")
        assert refused(lambda: to("alex", message, said)) == (409, "conflict")

    @pytest.mark.parametrize("said", ["participant:sam", ["participant:sam", "participant:mo"]])
    def test_never_to_single_people(self, room, said):
        message = room.say("alex", "hi")
        with pytest.raises(Exception, match="delete it and write anew"):
            to("alex", message, said)
        direct = room.say("alex", "psst", "participant:sam")
        assert refused(lambda: to("alex", direct, "participant:mo"))[0] == 422

    @pytest.mark.parametrize("said", ["system", "all", ["agent:scout", "participant:sam"], "agent:nobody"])
    def test_nor_to_who_is_nobody(self, room, said):
        message = room.say("alex", "hi")
        assert refused(lambda: to("alex", message, said, dispatch="future_turn"))[0] == 422

    @pytest.mark.parametrize("reason", ["", "   ", "a" * 501, "a\x00"])
    def test_a_reason_is_needed(self, room, reason):
        message = room.say("alex", "hi")
        assert refused(lambda: to("alex", message, "active_agent", reason)) == (422, "invalid")

    def test_another_revision_than_was_looked_at(self, room):
        message = room.say("alex", "one")
        edit(person("alex"), message.id, "two")
        assert refused(lambda: to("alex", message, "active_agent", revision=1)) == (409, "conflict")
        assert to("alex", message, "active_agent", revision=2).audience == "active_agent"

    def test_a_deleted_one(self, room):
        message = room.say("alex", "one")
        delete(person("alex"), message.id)
        assert refused(lambda: to("alex", message, "active_agent")) == (409, "deleted")

    def test_without_an_active_agent_nobody_hears(self, room):
        message = room.say("alex", "anybody?")
        unseated(room, "mirror")
        assert refused(lambda: to("alex", message, "active_agent")) == (422, "no_agent")


def test_it_is_kept_with_its_reason_and_shown(room):
    message = room.say("alex", "hello")
    to("mo", message, "everyone", "the agents need it")
    deed = Reclassification.objects.get()
    assert (deed.before, deed.after, deed.revision, deed.reason, deed.by.handle.spelled) == (
        "participants", "everyone", 1, "the agents need it", "mo",
    )  # fmt: skip
    assert AuditEntry.objects.get(about=message.id).detail == {
        "before": "participants", "after": "everyone", "reason": "the agents need it", "revision": 1,
    }  # fmt: skip
    assert "hello" not in str(AuditEntry.objects.get(about=message.id).detail)
    assert "reclassified" in journaled(room)


class TestReplies:
    def test_one_that_would_tell_of_a_hidden_parent_lets_go_of_it(self, room):
        parent = room.say("alex", "psst", "participant:sam")
        reply = room.say("sam", "I agree", None, reply_to=UUID(parent.id))
        after = to("sam", reply, "everyone")
        assert (after.reply_to, after.to, after.audience) == (None, [], "everyone")
        assert {(row.re, tuple(row.to)) for row in Delivery.objects.filter(message=reply.id)} == {(None, ())}

    def test_one_whose_parent_all_may_see_keeps_it(self, room):
        parent = room.say("alex", "who agrees?")
        reply = room.say("sam", "I do", None, reply_to=UUID(parent.id))
        after = to("sam", reply, "everyone")
        assert (after.reply_to, after.to) == (parent.id, ["alex"])

    def test_but_agents_are_not_told_of_a_parent_that_they_were_not_shown(self, room):
        parent = room.say("alex", "who agrees?")
        reply = room.say("sam", "I do", None, reply_to=UUID(parent.id))
        to("sam", reply, "everyone")
        assert {(row.re, tuple(row.to)) for row in Delivery.objects.filter(message=reply.id)} == {(None, ())}

    def test_and_those_who_were_are(self, room):
        parent = room.say("alex", "who agrees?", "everyone")
        reply = room.say("sam", "I do", "participants", reply_to=UUID(parent.id))
        to("sam", reply, "everyone")
        assert {(str(row.re), tuple(row.to)) for row in Delivery.objects.filter(message=reply.id)} == {
            (parent.id, ("alex",))
        }


def test_a_seat_that_came_later_hears_it_and_one_that_went_does_not(room):
    message = room.say("alex", "hello")
    unseated(room, "scout")
    to("alex", message, "everyone")
    assert [one[0] for one in fates(message)] == ["mirror"]
    seated(room, "scout")
    to("alex", message, "participants")
    to("alex", message, "everyone")
    assert ("scout", "queued", "", 1) in fates(message)
    begun_with = room.say("alex", "and now?", "active_agent")
    assert begun_with.audience == "active_agent"
    begun(room)
