"""Taking answers back along with the message that they answer: whose they are, who still has them, what is to come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest

from messaging.actions.collect import collect
from messaging.actions.delete import delete
from messaging.actions.enrol import add_agent
from messaging.actions.reclassify import reclassify
from messaging.actions.resend import resend
from messaging.actions.take import take
from messaging.agents import providers, turn
from messaging.agents.context import Request
from messaging.mailbox import lease
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Delivery, Turn, Utterance
from messaging.mailbox.say import answer
from messaging.roster.models import Agent, Session
from messaging.transcript import answers, read
from messaging.transcript.models import AuditEntry, Message
from tests.actions.deeds import answered, at_work, audited, begun, fates, heard_by_scout, journaled, refused, seated
from tests.cast import Room, agent, frames, person

pytestmark = pytest.mark.django_db
SECRET = "the key is kumquat"


@pytest.fixture
def room():
    return Room.open()


def asked(room: Room, who: str = "sam") -> Any:
    """A question with a secret, and Mirror's answer that quotes it."""
    question = room.say(who, SECRET, "active_agent")
    answered(room, f"you said: {SECRET}")
    return question


def quoted() -> Message:
    return Message.objects.get(text__startswith="you said")


def people_only(room: Room, who: str, message: Any, **more: Any) -> Any:
    return reclassify(person(who), message.id, "participants", "a secret", **more)


class Ear:
    """A model that keeps what it was asked; in all else it is the one that it listens for."""

    def __init__(self, model: Any) -> None:
        self.model = model
        self.heard: list[Request] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)

    def stream(self, request: Request) -> Iterator[str]:
        self.heard.append(request)
        yield "well"


def next_requests(room: Room, monkeypatch: pytest.MonkeyPatch) -> str:
    """All that the session's agents are given with the next question, hosted and connected."""
    ear = Ear(providers.get("mirror"))
    monkeypatch.setattr(providers, "get", lambda _: ear)
    room.say("alex", "what did I miss?", "everyone")
    room.say("alex", "and now?", "active_agent")
    held = claim(room.seat("mirror").id)
    assert held is not None
    turn.run(held, lambda: False)
    assert ear.heard
    collect(room.session.id)
    return f"{ear.heard} {take(agent('scout'), room.session, 50)}"


DEEDS = [
    ("delete", lambda room, who, message, **more: delete(person(who), message.id, "a secret", **more)),
    ("reclassify", people_only),
]


@pytest.mark.parametrize(("name", "deed"), DEEDS)
class TestWhatAgentsAreGivenLater:
    def test_taken_back_neither_text_is_in_any_later_request(self, room, monkeypatch, name, deed):
        question = asked(room)
        deed(room, "sam", question, answers="take_back")
        said = next_requests(room, monkeypatch)
        assert "kumquat" not in said
        assert "what did I miss?" in said

    def test_kept_the_answer_goes_on(self, room, monkeypatch, name, deed):
        """The twin: without the wish nothing is done to the answer."""
        question = asked(room)
        deed(room, "sam", question)
        assert f"you said: {SECRET}" in next_requests(room, monkeypatch)
        assert quoted().deleted_at is None
        assert quoted().audience == "everyone"

    def test_what_waited_is_withdrawn_what_was_shown_and_said_is_withheld(self, room, name, deed):
        question = asked(room)
        assert room.seat("scout").deliveries.get(message=quoted().id).state == "queued"
        deed(room, "sam", question, answers="take_back")
        assert room.seat("scout").deliveries.get(message=quoted().id).state == "superseded"
        assert room.seat("scout").deliveries.get(message=quoted().id).text == ""
        assert Utterance.objects.get(message=quoted().id).withheld_at is not None

    def test_an_agent_that_has_read_the_answer_is_not_shown_it_again(self, room, name, deed):
        question = asked(room)
        heard_by_scout(room)
        deed(room, "sam", question, answers="take_back")
        row = room.seat("scout").deliveries.get(message=quoted().id)
        assert (row.state, row.withheld_at is not None) == ("delivered", True)

    def test_live_pages_learn_of_both_and_the_numbers_have_no_gap(self, room, name, deed):
        question = asked(room)
        before = len(journaled(room))
        deed(room, "sam", question, answers="take_back")
        journaled(room)
        changed = {frame.body.id for frame in frames(room.session.id, before) if frame.kind == "message"}
        assert changed == {question.id, str(quoted().id)}

    def test_both_are_on_record_and_name_each_other(self, room, name, deed):
        question = asked(room)
        deed(room, "sam", question, answers="take_back")
        verb = "deleted" if name == "delete" else "reclassified"
        assert audited(question) == [(verb, "sam")]
        of_question, of_answer = (AuditEntry.objects.get(about=one) for one in (question.id, quoted().id))
        assert of_question.detail["answers_taken_back"] == [str(quoted().id)]
        assert (of_answer.verb, of_answer.detail["answer_to"]) == (verb, question.id)

    def test_every_answer_to_it_goes_and_no_answer_to_an_answer(self, room, name, deed):
        question = room.say("sam", SECRET, "everyone")
        heard_by_scout(room)
        scout = agent("scout")
        first = room.say(scout, "I read kumquat", None, reply_to=UUID(question.id))
        later = room.say(scout, "kumquat, again", None, reply_to=UUID(question.id))
        above = room.say("sam", "thanks", "everyone", reply_to=UUID(first.id))
        deed(room, "sam", question, answers="take_back")
        left = {row.text for row in Message.objects.filter(audience="everyone", deleted_at=None)}
        assert left == {"thanks"}
        assert read.message(person("sam"), above.id).reply_to == first.id
        assert {first.id, later.id} <= {str(row.id) for row in Message.objects.all()}

    def test_both_answers_of_a_question_asked_twice(self, room, name, deed):
        question = asked(room)
        resend(person("sam"), question.id)
        answered(room, "you said it once more: kumquat")
        deed(room, "sam", question, answers="take_back")
        assert not Utterance.objects.filter(kind="answer", withheld_at=None).exists()

    def test_an_agents_direct_message_is_left_to_whom_it_is_for(self, room, name, deed):
        question = room.say("sam", SECRET, "everyone")
        heard_by_scout(room)
        direct = room.say(agent("scout"), "psst, kumquat", "participant:sam", reply_to=UUID(question.id))
        deed(room, "sam", question, answers="take_back")
        assert read.message(person("sam"), direct.id).text == "psst, kumquat"


@pytest.mark.parametrize(("name", "deed"), DEEDS)
class TestWhoMay:
    @pytest.mark.parametrize("who", ["alex", "mo"])
    def test_who_moderates_takes_back_what_was_said_to_others(self, room, who, name, deed):
        question = asked(room, "sam")
        deed(room, who, question, answers="take_back")
        assert Utterance.objects.get(message=quoted().id).withheld_at is not None

    @pytest.mark.parametrize("who", ["vic", "gus"])
    def test_nobody_else_does(self, room, who, name, deed):
        question = asked(room, "sam")
        assert refused(lambda: deed(room, who, question, answers="take_back"))[0] == 403
        assert (quoted().deleted_at, quoted().audience) == (None, "everyone")
        assert read.message(person("sam"), question.id).text == SECRET

    def test_who_only_steered_does_not_take_back_what_another_was_told(self, room, name, deed):
        room.say("mo", "a question of mine", "active_agent")
        held = begun(room)
        steer = room.say("sam", SECRET, "active_agent", delivery="steer")
        answer(held, "let me see")
        answer(held, f"you said: {SECRET}")
        collect(room.session.id)
        assert room.delivery(steer, "mirror").state == "responded"
        told = refused(lambda: deed(room, "sam", steer, answers="take_back"))
        assert told == (403, "not_yours")
        assert read.message(person("sam"), steer.id).text == SECRET
        deed(room, "mo", steer, answers="take_back")
        assert Utterance.objects.get(kind="answer").withheld_at is not None

    def test_a_refusal_leaves_everything(self, room, name, deed):
        question = asked(room, "sam")
        before = journaled(room)
        assert refused(lambda: deed(room, "vic", question, answers="take_back"))[0] == 403
        assert (journaled(room), audited(question)) == (before, [])


class TestForPeople:
    def test_deleted_the_answer_is_a_stone_that_says_why(self, room):
        question = asked(room)
        delete(person("sam"), question.id, answers="take_back")
        view = read.message(person("vic"), quoted().id)
        assert (view.text, view.deleted_at is not None) == ("", True)
        stone = quoted().tombstone
        assert (stone.by.handle.spelled, stone.reason) == ("sam", "it answered a message that was deleted")

    def test_made_people_only_people_keep_the_answer(self, room):
        question = asked(room)
        people_only(room, "sam", question, answers="take_back")
        view = read.message(person("vic"), quoted().id)
        assert (view.text, view.audience) == (f"you said: {SECRET}", "participants")
        assert quoted().reclassifications.get().reason == "a secret"

    def test_an_answer_that_was_for_people_alone_leaves_its_agents_memory(self, room, monkeypatch):
        Session.objects.filter(id=room.session.id).update(answers="participants")
        question = asked(room)
        people_only(room, "sam", question, answers="take_back")
        assert quoted().audience == "participants"
        assert quoted().reclassifications.count() == 0
        assert "kumquat" not in next_requests(room, monkeypatch)

    def test_towards_agents_there_is_nothing_to_take_back(self, room):
        question = asked(room)
        deed = lambda: reclassify(  # noqa: E731 -- it is called by who expects its refusal
            person("sam"), question.id, "everyone", "for all", confirm=True, answers="take_back"
        )
        assert refused(deed) == (422, "invalid")
        assert read.message(person("sam"), question.id).audience == "active_agent"


@pytest.mark.parametrize(("name", "deed"), DEEDS)
class TestWhatIsToCome:
    def test_a_running_turn_on_it_ends_and_says_nothing(self, room, name, deed):
        held = at_work(room)
        question = Message.objects.get()
        deed(room, "sam", question, answers="take_back")
        row = Turn.objects.get(id=held.turn)
        assert (row.state, row.reason) == ("stopped", "withheld")
        with pytest.raises(lease.LeaseLost):
            answer(held, f"you said: {SECRET}")
        assert AuditEntry.objects.get(verb="stopped").detail == {"turns": [str(held.turn)]}

    def test_an_answer_that_nobody_has_posted_yet_is_not_posted(self, room, monkeypatch, name, deed):
        held = at_work(room)
        answer(held, f"you said: {SECRET}")
        question = Message.objects.get()
        deed(room, "sam", question, answers="take_back")
        collect(room.session.id)
        assert not Message.objects.filter(author_kind="agent").exists()
        assert "kumquat" not in next_requests(room, monkeypatch)

    def test_kept_the_turn_goes_on(self, room, name, deed):
        held = at_work(room)
        question = Message.objects.get()
        deed(room, "sam", question)
        answer(held, f"you said: {SECRET}")
        collect(room.session.id)
        assert quoted().answers_id == question.id

    def test_another_turn_goes_on(self, room, name, deed):
        question = asked(room)
        held = at_work(room, "mo")
        deed(room, "sam", question, answers="take_back")
        assert Turn.objects.get(id=held.turn).state == "running"

    def test_what_waited_behind_it_comes_next(self, room, name, deed):
        held = at_work(room)
        question = Message.objects.get()
        after = room.say("mo", "next", "active_agent")
        deed(room, "sam", question, answers="take_back")
        assert Delivery.objects.get(id=begun(room).input).message == UUID(after.id)
        assert held.turn


class TestOnceDeleted:
    def test_who_moderates_needs_no_reason_the_second_time(self, room):
        message = room.say("sam", "spam")
        first = delete(person("mo"), message.id, "spam")
        assert delete(person("mo"), message.id) == first
        assert refused(lambda: delete(person("vic"), message.id)) == (403, "no_capability")

    def test_the_answers_can_be_taken_back_later(self, room):
        question = asked(room)
        delete(person("sam"), question.id)
        assert quoted().deleted_at is None
        delete(person("sam"), question.id, answers="take_back")
        assert quoted().deleted_at is not None
        assert AuditEntry.objects.filter(about=question.id, verb="deleted").count() == 1

    def test_what_others_were_told_takes_a_reason_then_too(self, room):
        question = asked(room)
        delete(person("sam"), question.id)
        assert refused(lambda: delete(person("mo"), question.id, answers="take_back")) == (422, "invalid")
        delete(person("mo"), question.id, "a secret", answers="take_back")
        assert quoted().deleted_at is not None


def test_what_is_offered_is_what_would_be_taken(room):
    question = asked(room)
    row = Message.objects.get(id=question.id)
    assert [one.id for one in answers.to(row).said] == [quoted().id]
    people_only(room, "sam", question, answers="take_back")
    assert [one.id for one in answers.to(row).said] == [quoted().id]
    assert not answers.to(row, heard=True)


def test_agents_of_two_kinds_have_answered(room):
    question = asked(room)
    add_agent("archivist", kind=Agent.Kind.CONNECTED, name="Archivist")
    seated(room, "archivist")
    reclassify(person("sam"), question.id, "agent:archivist", "for the record", confirm=True, dispatch="future_turn")
    take(agent("archivist"), room.session, 50)
    room.say(agent("archivist"), "kumquat is filed", None, reply_to=UUID(question.id))
    found = answers.to(Message.objects.get(id=question.id))
    assert found.authors == ["Mirror", "Archivist"]
    delete(person("sam"), question.id, answers="take_back")
    assert not Message.objects.filter(author_kind="agent", deleted_at=None).exists()
    assert fates(question)[-1][0] == "mirror"
