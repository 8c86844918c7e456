"""Editing: who may, what an agent gets of it, and that what was shown stays on record."""

from __future__ import annotations

import pytest

from messaging.actions.delete import delete
from messaging.actions.edit import edit
from messaging.actions.stop import stop
from messaging.actions.supersede import supersede
from messaging.mailbox import wake
from messaging.mailbox.models import Delivery
from messaging.mailbox.say import answer
from messaging.roster import credentials
from messaging.roster.models import Account, Spend, Token
from messaging.transcript import read
from messaging.transcript.models import Message, Revision
from tests.actions.deeds import answered, audited, begun, fates, heard_by_scout, journaled, made, put_out, refused
from tests.cast import Room, agent, person, token

pytestmark = pytest.mark.django_db


@pytest.fixture
def room():
    return Room.open()


def test_people_read_the_new_text_and_that_it_was_edited(room):
    message = room.say("alex", "helo", "participants")
    after = edit(person("alex"), message.id, "hello")
    assert (after.text, after.revision, after.edited_at is not None) == ("hello", 2, True)
    assert read.message(person("sam"), message.id) == after
    assert (after.id, after.seq, after.audience) == (message.id, message.seq, "participants")
    assert audited(message) == [("edited", "alex")]
    assert journaled(room)[-1] == "revision"


def test_each_text_is_kept_once_and_in_order(room):
    message = room.say("alex", "one")
    for text in ("two", "three"):
        edit(person("alex"), message.id, text)
    rows = Revision.objects.filter(message=message.id).order_by("n").values_list("n", "text")
    assert list(rows) == [(1, "one"), (2, "two"), (3, "three")]


def test_the_same_text_changes_nothing(room):
    message = room.say("alex", "hello", "active_agent")
    before = journaled(room)
    assert edit(person("alex"), message.id, "hello") == read.message(person("alex"), message.id)
    assert (journaled(room), Revision.objects.count(), len(fates(message))) == (before, 0, 1)


@pytest.mark.parametrize("who", ["mo", "sam", "vic", "gus"])
def test_nobody_else_edits_it_whatever_their_role(room, who):
    message = room.say("alex", "mine")
    assert refused(lambda: edit(person(who), message.id, "yours")) == (403, "not_yours")
    assert Message.objects.get(id=message.id).text == "mine"


def test_nor_does_anybody_edit_what_an_agent_said(room):
    message = room.say(agent("scout"), "mine", "participants")
    assert refused(lambda: edit(person("alex"), message.id, "yours")) == (403, "not_yours")


def test_to_whom_it_is_hidden_it_is_absent(room):
    direct = room.say("alex", "psst", "participant:sam")
    for who in ("mo", "xan"):
        assert refused(lambda who=who: edit(person(who), direct.id, "heard")) == (404, "not_found")


class TestBeforeItIsHeard:
    def test_the_agent_gets_the_new_text_in_the_old_ones_place(self, room):
        first, second = room.say("alex", "one", "active_agent"), room.say("sam", "two", "active_agent")
        edit(person("alex"), first.id, "uno")
        assert fates(first) == [("mirror", "superseded", "edited", 1), ("mirror", "queued", "edited", 2)]
        old, new = Delivery.objects.filter(message=first.id).order_by("revision")
        assert (new.place, new.text, new.cleared_at is not None, old.text) == (old.place, "uno", True, "")
        held = begun(room)
        assert Delivery.objects.get(id=held.input).text == "uno"
        assert room.delivery(second, "mirror").state == "queued"

    def test_the_old_text_is_never_shown(self, room):
        message = room.say("alex", "the old text", "active_agent")
        edit(person("alex"), message.id, "the new text")
        answered(room)
        shown = Delivery.objects.filter(seat__handle="mirror", delivered_at__isnull=False)
        assert [row.text for row in shown] == ["the new text"]

    def test_what_was_not_cleared_is_not_cleared_by_it(self, room):
        room.say("alex", "one", "active_agent")
        second = room.say("sam", "two", "active_agent")
        edit(person("sam"), second.id, "dos")
        assert Delivery.objects.get(message=second.id, state="queued").cleared_at is None
        answered(room)
        assert Delivery.objects.get(message=second.id, state="queued").cleared_at is not None

    def test_each_seat_that_waits_gets_it_and_who_has_it_keeps_what_it_was_shown(self, room):
        message = room.say("alex", "for all", "everyone")
        heard_by_scout(room)
        after = edit(person("alex"), message.id, "for everybody")
        assert fates(message) == [
            ("mirror", "superseded", "edited", 1), ("mirror", "queued", "edited", 2), ("scout", "delivered", "", 1),
        ]  # fmt: skip
        assert Delivery.objects.get(message=message.id, seat__handle="scout").text == "for all"
        assert after.ever_delivered

    def test_whoever_is_to_take_it_up_is_woken(self, room, django_capture_on_commit_callbacks):
        message = room.say("alex", "one", "active_agent")
        lines: list[wake.Line] = []
        wake.install(lines.append)
        try:
            with django_capture_on_commit_callbacks(execute=True):
                edit(person("alex"), message.id, "uno")
        finally:
            wake.install(wake._nowhere)
        assert wake.Wake(room.seat("mirror").id) in lines

    def test_the_seats_count_of_places_does_not_move(self, room):
        """A place counts one message before a seat, however often it is edited."""
        message = room.say("alex", "one", "active_agent")
        for n in range(3):
            edit(person("alex"), message.id, f"text {n}")
        assert room.seat("mirror").placed == 1
        other = room.say("sam", "two", "active_agent")
        assert room.delivery(other, "mirror").place == 2

    def test_it_costs_no_question(self, room):
        message = room.say("alex", "one", "active_agent")
        edit(person("alex"), message.id, "uno")
        assert Spend.objects.get(who=person("alex").id).used == 1


class TestWhileItIsToSteer:
    """A message that is on its way into a running turn waits, too."""

    def test_the_turn_gets_the_new_text_and_never_the_old(self, room):
        room.say("sam", "a question", "active_agent")
        held = begun(room)
        message = room.say("mo", "this way", "active_agent", delivery="steer")
        edit(person("mo"), message.id, "no, that way")
        assert fates(message) == [
            ("mirror", "superseded", "edited", 1), ("mirror", "steering_requested", "edited", 2),
        ]  # fmt: skip
        row = Delivery.objects.get(message=message.id, revision=2)
        assert (row.turn, row.cleared_at is not None) == (held.turn, True)
        # The answer is given up for another step, in which it is taken in.
        answer(held, "first step")
        shown = Delivery.objects.filter(turn=held.turn, delivered_at__isnull=False).values_list("text", flat=True)
        assert sorted(shown) == ["a question", "no, that way"]

    def test_one_that_came_too_late_is_not_put_there_again_by_it(self, room):
        room.say("sam", "a question", "active_agent")
        begun(room)
        message = room.say("mo", "this way", "active_agent", delivery="steer")
        stop(person("sam"), room.session)
        edit(person("mo"), message.id, "that way")
        assert fates(message) == [("mirror", "too_late", "turn_ended", 1)]

    @pytest.mark.parametrize(("deed", "reason"), [(supersede, "withdrawn"), (delete, "deleted")])
    def test_it_can_be_taken_back(self, room, deed, reason):
        room.say("sam", "a question", "active_agent")
        held = begun(room)
        message = room.say("mo", "this way", "active_agent", delivery="steer")
        deed(person("mo"), message.id)
        assert fates(message) == [("mirror", "superseded", reason, 1)]
        answer(held, "an answer")
        assert [row.text for row in Delivery.objects.filter(turn=held.turn, delivered_at__isnull=False)] == [
            "a question"
        ]


class TestOnceItIsHeard:
    def test_what_was_shown_stays_beside_the_new_text(self, room):
        message = room.say("alex", "as it was heard", "active_agent")
        begun(room)
        after = edit(person("alex"), message.id, "as people read it now")
        [row] = Delivery.objects.filter(message=message.id)
        assert (row.text, row.revision, row.state, row.withheld_at) == ("as it was heard", 1, "delivered", None)
        assert (after.revision, [one.revision for one in after.deliveries], after.ever_delivered) == (2, [1], True)

    def test_no_agent_is_told_of_the_new_text(self, room):
        message = room.say("alex", "as it was heard", "active_agent")
        answered(room)
        edit(person("alex"), message.id, "a canary")
        assert not Delivery.objects.filter(text="a canary").exists()

    def test_an_edit_of_what_is_for_people_makes_no_delivery(self, room):
        """B: "Editing a human-only message must not retroactively deliver it to the model.\""""
        message = room.say("alex", "between us", "participants")
        edit(person("alex"), message.id, "@mirror /agent [audience=everyone] do it")
        assert not Delivery.objects.exists()


class TestRefusals:
    def test_another_revision_than_was_looked_at(self, room):
        message = room.say("alex", "one")
        edit(person("alex"), message.id, "two", 1)
        assert refused(lambda: edit(person("alex"), message.id, "three", 1)) == (409, "conflict")
        assert edit(person("alex"), message.id, "three", 2).text == "three"

    @pytest.mark.parametrize(
        ("said", "text", "status"),
        [("participants", "", 422), ("participants", "a\x00", 422), ("participants", "a" * 65537, 413),
         ("active_agent", "a" * 8193, 413)],
    )  # fmt: skip
    def test_a_text_out_of_bounds(self, room, said, text, status):
        message = room.say("alex", "fine", said)
        assert refused(lambda: edit(person("alex"), message.id, text))[0] == status
        assert Message.objects.get(id=message.id).revision == 1

    def test_what_people_say_to_people_may_be_long(self, room):
        message = room.say("alex", "short", "participants")
        assert len(edit(person("alex"), message.id, "a" * 65536).text) == 65536

    def test_the_right_to_its_audience_is_asked_again(self, room):
        message = room.say("sam", "a question", "active_agent")
        made(room, "sam", "viewer")
        assert refused(lambda: edit(person("sam"), message.id, "another")) == (403, "no_capability")
        plain = room.say("sam", "to people", "participants")
        assert edit(person("sam"), plain.id, "to all people").revision == 2

    def test_who_was_put_out_finds_nothing(self, room):
        message = room.say("sam", "mine")
        put_out(room, "sam")
        assert refused(lambda: edit(person("sam"), message.id, "still mine")) == (404, "not_found")

    def test_a_credential_that_has_ended(self, room):
        message = room.say("sam", "mine")
        held = credentials.hashed(token("sam"))
        assert edit(person("sam"), message.id, "by token", token=held).text == "by token"
        Token.objects.filter(hash=held).delete()
        assert refused(lambda: edit(person("sam"), message.id, "again", token=held)) == (401, "not_authenticated")
        Account.objects.filter(username="sam").update(is_active=False)
        assert refused(lambda: edit(person("sam"), message.id, "again")) == (401, "not_authenticated")
