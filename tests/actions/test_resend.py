"""Sending again: what no agent got, and what it answered already; once at a time, within a post's bounds."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from django.utils import timezone

from messaging.actions.collect import collect
from messaging.actions.delete import delete
from messaging.actions.edit import edit
from messaging.actions.resend import resend
from messaging.actions.supersede import supersede
from messaging.mailbox.models import Delivery
from messaging.mailbox.say import answer, fail
from messaging.roster.models import Spend
from messaging.transcript import read
from messaging.transcript.models import Message
from tests.actions.deeds import answered, begun, fates, heard_by_scout, made, put_out, refused, seated, unseated
from tests.cast import Room, agent, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def room():
    return Room.open()


def withdrawn(room, who="sam", text="a question"):
    message = room.say(who, text, "active_agent")
    supersede(person(who), message.id)
    return message


def test_what_was_withdrawn_is_put_there_anew_and_the_old_row_stays(room):
    message = withdrawn(room)
    after = resend(person("sam"), message.id).message
    assert fates(message) == [("mirror", "superseded", "withdrawn", 1), ("mirror", "queued", "", 1)]
    assert len(after.deliveries) == 2
    old, new = Delivery.objects.filter(message=message.id).order_by("place")
    assert (new.text, new.cleared_at is not None, new.said_at) == (message.text, True, old.said_at)
    assert old.text == ""
    answered(room, "here you are")
    assert Message.objects.get(text="here you are").answers_id == UUID(message.id)


def test_its_current_text_goes(room):
    message = withdrawn(room)
    edit(person("sam"), message.id, "a better question")
    resend(person("sam"), message.id)
    row = Delivery.objects.get(message=message.id, state="queued")
    assert (row.text, row.revision) == ("a better question", 2)


def test_an_answered_question_is_asked_again_and_both_answers_stay(room):
    """Regenerating."""
    message = room.say("sam", "a question", "active_agent")
    answered(room, "one answer")
    resend(person("sam"), message.id)
    assert read.message(person("sam"), message.id).ever_delivered
    answered(room, "another answer")
    answers = Message.objects.filter(answers=message.id).order_by("seq").values_list("text", flat=True)
    assert list(answers) == ["one answer", "another answer"]
    assert fates(message) == [("mirror", "responded", "", 1)] * 2


def test_a_question_whose_turn_failed_is_asked_again(room):
    message = room.say("sam", "a question", "active_agent")
    fail(begun(room), "provider_auth")
    collect(room.session.id)
    resend(person("sam"), message.id)
    assert fates(message) == [("mirror", "delivered", "", 1), ("mirror", "queued", "", 1)]


def test_what_was_rejected_goes_once_the_right_is_back(room):
    room.say("alex", "first in the queue", "active_agent")
    message = room.say("sam", "a question", "active_agent")
    made(room, "sam", "viewer")
    assert refused(lambda: resend(person("sam"), message.id)) == (403, "no_capability")
    made(room, "sam", "member")
    resend(person("sam"), message.id)
    assert fates(message)[-1] == ("mirror", "queued", "", 1)


class TestStillWaiting:
    def test_while_it_waits(self, room):
        message = room.say("sam", "a question", "active_agent")
        assert refused(lambda: resend(person("sam"), message.id)) == (409, "still_waiting")

    def test_while_it_is_answered_and_until_the_answer_is_there(self, room):
        message = room.say("sam", "a question", "active_agent")
        held = begun(room)
        assert refused(lambda: resend(person("sam"), message.id)) == (409, "still_waiting")
        answer(held, "an answer")
        assert refused(lambda: resend(person("sam"), message.id)) == (409, "still_waiting")
        collect(room.session.id)
        assert resend(person("sam"), message.id).message.deliveries[-1].disposition == "queued"

    def test_a_second_time(self, room):
        message = withdrawn(room)
        resend(person("sam"), message.id)
        assert refused(lambda: resend(person("sam"), message.id)) == (409, "still_waiting")
        assert len(fates(message)) == 2


class TestConflicts:
    def test_a_delivery_that_is_not_the_newest(self, room):
        message = withdrawn(room)
        old = room.delivery(message, "mirror").id
        assert resend(person("sam"), message.id, old).message.deliveries[-1].disposition == "queued"
        supersede(person("sam"), message.id)
        assert refused(lambda: resend(person("sam"), message.id, old)) == (409, "conflict")

    def test_a_delivery_of_something_else(self, room):
        message = withdrawn(room)
        assert refused(lambda: resend(person("sam"), message.id, uuid4())) == (409, "conflict")

    def test_what_is_for_people(self, room):
        message = room.say("sam", "to people")
        assert refused(lambda: resend(person("sam"), message.id)) == (409, "conflict")
        assert not Delivery.objects.exists()

    def test_what_was_told_or_read_is_there(self, room):
        message = room.say("sam", "for all", "everyone")
        room.say("sam", "a question", "active_agent")
        answered(room)
        heard_by_scout(room)
        assert refused(lambda: resend(person("sam"), message.id)) == (409, "conflict")

    def test_a_deleted_one(self, room):
        message = withdrawn(room)
        delete(person("sam"), message.id)
        assert refused(lambda: resend(person("sam"), message.id)) == (409, "deleted")


class TestOneOfSeveral:
    def test_only_who_has_not_got_it_gets_it(self, room):
        message = room.say("sam", "for all", "everyone")
        heard_by_scout(room)
        supersede(person("sam"), message.id)
        resend(person("sam"), message.id)
        assert fates(message) == [
            ("mirror", "superseded", "withdrawn", 1), ("mirror", "queued", "", 1), ("scout", "delivered", "", 1),
        ]  # fmt: skip

    def test_the_one_that_is_named(self, room):
        message = room.say("sam", "for all", "everyone")
        supersede(person("sam"), message.id)
        resend(person("sam"), message.id, room.delivery(message, "scout").id)
        assert fates(message) == [
            ("mirror", "superseded", "withdrawn", 1), ("scout", "superseded", "withdrawn", 1), ("scout", "queued", "", 1),
        ]  # fmt: skip

    def test_another_active_agent_gets_what_the_one_before_it_did_not(self, room):
        message = withdrawn(room)
        room.session.active_agent_id = agent("scout").id
        room.session.save()
        resend(person("sam"), message.id)
        assert fates(message)[-1] == ("scout", "queued", "", 1)


class TestWhoMay:
    @pytest.mark.parametrize("who", ["alex", "mo", "vic"])
    def test_its_author_alone(self, room, who):
        message = withdrawn(room)
        assert refused(lambda: resend(person(who), message.id)) == (403, "not_yours")
        assert len(fates(message)) == 1

    def test_who_was_put_out_finds_nothing(self, room):
        message = withdrawn(room)
        put_out(room, "sam")
        assert refused(lambda: resend(person("sam"), message.id)) == (404, "not_found")

    def test_it_is_counted_as_a_question(self, room):
        message = withdrawn(room)
        Spend.objects.filter(who=person("sam").id).update(used=30, window=timezone.now())
        assert refused(lambda: resend(person("sam"), message.id)) == (429, "too_fast")
        assert len(fates(message)) == 1

    def test_a_full_queue_takes_nothing_more(self, room):
        message = withdrawn(room)
        for n in range(16):
            room.say(("alex", "mo")[n % 2], "hi", "active_agent")
        assert refused(lambda: resend(person("sam"), message.id)) == (429, "queue_full")

    def test_an_agent_that_is_gone_gets_nothing(self, room):
        message = withdrawn(room)
        unseated(room, "mirror")
        assert refused(lambda: resend(person("sam"), message.id)) == (422, "no_agent")
        seated(room, "mirror")
