"""A turn that asks another agent: it holds nothing meanwhile, goes on with the answer, and never waits for ever."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from messaging.actions.close_agent import close_agent
from messaging.actions.collect import collect
from messaging.actions.delete import delete
from messaging.actions.enrol import add_agent
from messaging.actions.join import join
from messaging.actions.pause_agents import pause_agents
from messaging.actions.settle import LONGEST_CONSULT
from messaging.actions.stop import stop
from messaging.actions.sweep import sweep
from messaging.agents import turn
from messaging.agents.context import Called, Heard, Request
from messaging.domain.call import Call
from messaging.domain.capability import Role
from messaging.domain.dispatch import MAX_DEPTH, MAX_HOPS
from messaging.mailbox.claim import claim, due
from messaging.mailbox.models import Delivery, Purpose, Seat, ToolCall, Turn
from messaging.mailbox.withhold import withhold
from messaging.roster.models import Membership, Person, Session
from messaging.transcript import read
from messaging.transcript.models import Message
from tests.agents.fakes import Fake, put_in
from tests.cast import Room, agent, person

pytestmark = pytest.mark.django_db
CANARY = "CANARY-e0f1"
EVERY = {"tools": dict.fromkeys(("consult", "advisor", "child_session", "send", "recall", "peers"), "allowed")}


@pytest.fixture
def model(monkeypatch) -> Fake:
    return put_in(monkeypatch, Fake(lambda _: iter(["fine"])))


@pytest.fixture
def room(model) -> Room:
    """The demo session whose mirror may call everything, with a second hosted agent."""
    room = Room.open()
    owner = Person.objects.get(handle__spelled="alex")
    join(
        room.session,
        add_agent("archivist", kind="hosted", provider="mirror", owner=owner, name="Archivist"),
        Role.AGENT,
    )
    Seat.objects.filter(session=room.session.id).update(provider="fake")
    Seat.objects.filter(session=room.session.id, handle="mirror").update(policy=EVERY)
    return room


def calls(name: str, handle: str = "archivist", text: str = "what do you know?", then: str = "so it is") -> Any:
    """A model that calls this in its first step and answers in the next; another one answers `then` at once."""

    def bits(request: Request) -> Iterator[str | Call]:
        if request.handle == "mirror" and request.step == 1:
            yield "Let me ask."
            yield Call("call-1", name, {"agent": handle, "text": text})
        else:
            yield then if request.handle == "mirror" else "all of it"

    return bits


def runs(room: Room, handle: str) -> Turn:
    """The next stretch of the seat's turn, and what the house makes of it."""
    held = claim(room.seat(handle).id)
    assert held is not None, f"{handle} has nothing to do"
    turn.run(held, lambda: False)
    collect(room.session.id)
    return Turn.objects.get(id=held.turn)


def asks(room: Room) -> Turn:
    room.say("sam", "a question", "active_agent")
    return runs(room, "mirror")


class TestAConsult:
    def test_the_answer_comes_back_into_the_turn_that_asked(self, room, model):
        model._bits = calls("consult")
        parked = asks(room)
        assert (parked.state, parked.lease_owner, parked.attempts) == ("running", None, 1)
        assert parked.parked_at is not None
        assert due() == [room.seat("archivist").id], "nothing is held, and only who was asked has something to do"

        assert runs(room, "archivist").state == "finished"
        done = runs(room, "mirror")
        assert (done.id, done.state, done.attempts) == (parked.id, "finished", 1)
        texts = [(one.author.id, one.text) for one in read.page(person("vic"), room.session).items]
        assert texts == [
            ("sam", "a question"),
            ("mirror", "what do you know?"),
            ("archivist", "all of it"),
            ("mirror", "Let me ask.\n\nso it is"),
        ]
        consult, back = Message.objects.get(text="what do you know?"), Message.objects.get(text="all of it")
        assert (consult.audience, consult.targets, consult.dispatch) == ("agent", ["archivist"], "consult")
        assert (back.audience, back.targets, back.answers_id) == ("agent", ["mirror"], consult.id)
        [called] = [line for line in model.requests[-1].lines if isinstance(line, Called)]
        assert (called.text, called.failed) == ("all of it", False)
        assert "all of it" not in [line.text for line in model.requests[-1].lines if isinstance(line, Heard)]

    def test_who_is_asked_sees_the_question_and_nothing_else(self, room, model):
        model._bits = calls("consult")
        room.say("alex", f"{CANARY} to mirror", "active_agent")
        runs(room, "mirror")
        runs(room, "archivist")
        [asked] = [one for one in model.requests if one.handle == "archivist"]
        assert [line.text for line in asked.lines] == ["what do you know?"]

    def test_it_is_recorded_before_whom_it_was_shown(self, room, model):
        model._bits = calls("consult")
        asks(room)
        runs(room, "archivist")
        runs(room, "mirror")
        back = Delivery.objects.get(seat=room.seat("mirror"), text="all of it")
        assert (back.state, back.purpose) == ("delivered", Purpose.CONTEXT)
        assert back.turn == Turn.objects.get(seat=room.seat("mirror")).id
        [call] = ToolCall.objects.all()
        assert (call.state, call.rows) == ("done", [str(back.id)])

    def test_a_person_has_the_active_agent_ask(self, room, model):
        room.say("sam", "what do we know?", "agent:archivist", dispatch="consult")
        asked = Message.objects.get()
        assert [one.seat.handle for one in Delivery.objects.filter(message=asked.id)] == ["mirror"]
        runs(room, "mirror")
        assert model.requests == [], "it asks first, and no model has a say in that"
        runs(room, "archivist")
        done = runs(room, "mirror")
        assert done.state == "finished"
        assert [line.text for line in model.requests[-1].lines] == ["what do we know?", "fine"]
        assert Message.objects.get(turn=done.id).answers_id == asked.id

    def test_what_a_person_wishes_for_takes_no_tool_of_the_agents_own(self, room, model):
        Seat.objects.filter(handle="mirror").update(policy=None)
        room.say("sam", "what do we know?", "agent:archivist", dispatch="consult")
        runs(room, "mirror")
        runs(room, "archivist")
        assert runs(room, "mirror").state == "finished"
        last = model.requests[-1]
        assert ([tool.name for tool in last.tools], last.must_answer) == (["consult"], True)

    def test_it_waits_without_holding_anybody_up_but_its_own_seat(self, room, model):
        model._bits = calls("consult")
        asks(room)
        room.say("alex", "another question", "active_agent")
        assert claim(room.seat("mirror").id) is None
        runs(room, "archivist")
        runs(room, "mirror")
        model._bits = lambda _: iter(["second answer"])
        assert runs(room, "mirror").state == "finished"

    def test_who_steers_meanwhile_is_heard_when_it_goes_on(self, room, model):
        model._bits = calls("consult")
        asks(room)
        steer = room.say("sam", "in short, please", "active_agent", delivery="steer")
        assert room.delivery(steer, "mirror").state == "steering_requested"
        runs(room, "archivist")
        runs(room, "mirror")
        assert room.delivery(steer, "mirror").state == "responded"
        assert [line.text for line in model.requests[-1].lines][-1] == "in short, please"


class TestNoAnswer:
    def failed(self, room: Room, model: Fake) -> str:
        """What the model is told, and the turn goes on with."""
        assert runs(room, "mirror").state == "finished"
        [called] = [line for line in model.requests[-1].lines if isinstance(line, Called)]
        assert called.failed
        return called.text

    @pytest.mark.parametrize(
        ("handle", "reason"), [("nobody", "no_such_target"), ("mirror", "no_such_target"), ("scout", "no_mode")]
    )
    def test_who_cannot_be_asked_is_named_with_the_reason(self, room, model, handle, reason):
        model._bits = calls("consult", handle)
        asks(room)
        assert self.failed(room, model)
        assert ToolCall.objects.get().reason == reason
        assert Message.objects.filter(author_kind="agent").count() == 1, "nothing was asked"

    def test_the_policy_of_who_is_asked_stands(self, room, model):
        Seat.objects.filter(handle="archivist").update(policy={"modes": ["future_turn"]})
        model._bits = calls("consult")
        asks(room)
        assert "cannot be asked in this way" in self.failed(room, model)

    def test_a_turn_of_the_other_that_fails_is_told(self, room, model):
        model._bits = calls("consult")
        asks(room)
        Seat.objects.filter(handle="archivist").update(provider="no_such")
        assert runs(room, "archivist").state == "failed"
        assert "no model that is known here" in self.failed(room, model)

    def test_one_who_is_taken_out_of_use_is_waited_for_no_longer(self, room, model):
        model._bits = calls("consult")
        asks(room)
        close_agent(person("alex"), "archivist")
        sweep()
        assert self.failed(room, model)

    def test_after_ten_minutes_it_goes_on_and_the_question_is_taken_back(self, room, model):
        model._bits = calls("consult")
        asks(room)
        ToolCall.objects.update(began_at=timezone.now() - LONGEST_CONSULT - timedelta(seconds=1))
        sweep()
        assert "took too long" in self.failed(room, model)
        asked = Delivery.objects.get(seat=room.seat("archivist"), purpose="input")
        assert (asked.state, asked.reason) == ("superseded", "stopped")

    def test_while_all_agents_pause_it_waits_on(self, room, model):
        model._bits = calls("consult")
        asks(room)
        pause_agents(person("alex"))
        ToolCall.objects.update(began_at=timezone.now() - LONGEST_CONSULT - timedelta(seconds=1))
        sweep()
        assert ToolCall.objects.get().state == "waiting"

    def test_a_question_that_is_deleted_before_it_is_heard_is_not_answered(self, room, model):
        model._bits = calls("consult")
        asks(room)
        delete(person("mo"), Message.objects.get(text="what do you know?").id, "not this")
        sweep()
        assert self.failed(room, model)

    def test_an_answer_that_is_taken_back_before_it_came_is_not_given(self, room, model):
        model._bits = calls("consult")
        asks(room)
        held = claim(room.seat("archivist").id)
        assert held is not None
        turn.run(held, lambda: False)
        collect(room.session.id)
        delete(person("mo"), Message.objects.get(text="all of it").id, "not this")
        assert runs(room, "mirror").state == "finished"
        assert "all of it" not in str(model.requests[-1].lines)

    def test_one_that_is_taken_back_once_it_came_is_in_no_later_step(self, room, model):
        def bits(request: Request) -> Iterator[str | Call]:
            if request.handle == "archivist":
                yield CANARY
            elif request.step == 1:
                yield Call("call-1", "consult", {"agent": "archivist", "text": "what?"})
            elif request.step == 2:
                assert CANARY in str(request.lines), "the control: it came back"
                with transaction.atomic():
                    withhold(Message.objects.get(text=CANARY).id)
                yield Call("call-2", "peers", {})
            else:
                yield "done"

        model._bits = bits
        asks(room)
        runs(room, "archivist")
        assert runs(room, "mirror").state == "finished"
        assert CANARY not in str(model.requests[-1].lines)


class TestAnEnd:
    def test_stopped_it_asks_no_more_and_what_comes_back_starts_nothing(self, room, model):
        model._bits = calls("consult")
        asks(room)
        assert stop(person("sam"), room.session) is True
        sweep()
        [call] = ToolCall.objects.all()
        assert (call.state, call.reason) == ("failed", "stopped")
        assert Delivery.objects.get(seat=room.seat("archivist")).state == "superseded"
        assert claim(room.seat("archivist").id) is None
        assert claim(room.seat("mirror").id) is None

    def test_an_answer_to_a_stopped_turn_goes_along_with_the_next_question(self, room, model):
        model._bits = calls("consult")
        asks(room)
        held = claim(room.seat("archivist").id)
        assert held is not None
        stop(person("sam"), room.session, "own")
        turn.run(held, lambda: False)
        collect(room.session.id)
        assert claim(room.seat("mirror").id) is None
        model._bits = lambda _: iter(["again"])
        room.say("sam", "and now?", "active_agent")
        runs(room, "mirror")
        assert [line.text for line in model.requests[-1].lines][-2:] == ["all of it", "and now?"]

    def test_a_process_that_dies_once_it_goes_on_fails_the_turn_for_it_has_acted(self, room, model):
        model._bits = calls("consult")
        asks(room)
        runs(room, "archivist")
        held = claim(room.seat("mirror").id)
        assert held is not None
        Turn.objects.filter(id=held.turn).update(lease_until=timezone.now() - timedelta(seconds=1))
        assert claim(held.seat) is None
        dead = Turn.objects.get(id=held.turn)
        assert (dead.state, dead.reason, dead.retryable) == ("failed", "interrupted", False)

    def test_a_wake_up_that_got_lost_is_found_by_the_sweep(self, room, model):
        model._bits = calls("consult")
        room.say("sam", "a question", "active_agent")
        held = claim(room.seat("mirror").id)
        assert held is not None
        turn.run(held, lambda: False)
        assert not Message.objects.filter(author_kind="agent").exists(), "nobody told the house"
        sweep()
        assert Message.objects.filter(author_kind="agent").count() == 1


class TestAdvice:
    def test_it_is_given_on_the_question_alone_without_memory_or_tools(self, room, model):
        Seat.objects.filter(handle="archivist").update(policy=EVERY)
        room.say("alex", "remember this", "agent:archivist", dispatch="future_turn")
        runs(room, "archivist")
        room.say("sam", "is it wise?", "agent:archivist", dispatch="advisor")
        runs(room, "mirror")
        runs(room, "archivist")
        advised = model.requests[-1]
        assert ([line.text for line in advised.lines], advised.tools) == (["is it wise?"], ())
        assert advised.settings["max_tokens"] == 512
        assert runs(room, "mirror").state == "finished"
        assert Message.objects.get(dispatch="advisor", author_kind="agent", answers=None).targets == ["archivist"]


class TestOthers:
    def test_a_side_session_by_an_agent_belongs_to_the_person_for_whom_it_works(self, room, model):
        model._bits = calls("child_session", text="look into this")
        asks(room)
        done = runs(room, "mirror")
        assert done.state == "finished"
        child = Session.objects.get(parent=room.session)
        members = Membership.objects.filter(session=child, left_at=None)
        handles = {(one.person or one.agent).handle.spelled: one.role for one in members}
        assert handles == {"sam": "owner", "archivist": "agent", "mirror": "agent"}
        first = Delivery.objects.get(seat__session=child.id, seat__handle="archivist")
        assert (first.text, first.hops) == ("look into this", 1)
        [called] = [line for line in model.requests[-1].lines if isinstance(line, Called)]
        assert called.text == "A side session was opened; archivist has it."

    def test_a_message_is_sent_and_the_turn_goes_on_at_once(self, room, model):
        model._bits = calls("send", text="for later")
        asks(room)
        assert runs(room, "mirror").state == "finished"
        sent = Delivery.objects.get(seat=room.seat("archivist"), purpose="input")
        assert (sent.text, sent.dispatch, sent.purpose) == ("for later", "future_turn", "input")

    def test_without_the_tool_nothing_reaches_the_house(self, room, model):
        Seat.objects.filter(handle="mirror").update(policy={"tools": {"peers": "allowed"}})
        model._bits = calls("consult")
        assert asks(room).state == "finished"
        assert ToolCall.objects.get().reason == "no_such_tool"
        assert Message.objects.filter(dispatch="consult").count() == 0


class TestBounds:
    def test_who_is_asked_works_one_deeper(self, room, model):
        model._bits = calls("consult")
        asks(room)
        assert Delivery.objects.get(seat=room.seat("archivist")).depth == 1

    @pytest.mark.parametrize(("field", "value", "reason"), [("depth", MAX_DEPTH, "depth"), ("hops", MAX_HOPS, "hops")])
    def test_beyond_the_bounds_nobody_is_asked(self, room, model, field, value, reason):
        model._bits = calls("consult")
        room.say("sam", "a question", "active_agent")
        Delivery.objects.update(**{field: value})
        runs(room, "mirror")
        assert ToolCall.objects.get().reason == reason
        assert runs(room, "mirror").state == "finished"

    def test_an_agent_consults_nobody_outside_a_turn(self, room):
        for mode in ("consult", "advisor"):
            refusal = room.refused(agent("scout"), "what?", "agent:archivist", dispatch=mode)
            assert (refusal.status, refusal.code, refusal.field) == (422, "no_mode", "dispatch")

    @pytest.mark.parametrize(
        ("said", "more", "field"),
        [
            (["agent:archivist", "agent:scout"], {}, "audience"),
            ("agent:archivist", {"delivery": "steer"}, "delivery"),
            ("agent:mirror", {}, "dispatch"),
            ("agent:scout", {}, "dispatch"),
        ],
    )
    def test_what_a_person_cannot_wish_for_names_its_field(self, room, said, more, field):
        refusal = room.refused("sam", "what?", said, dispatch="consult", **more)
        assert (refusal.status, refusal.field) == (422, field)

    def test_without_a_hosted_active_agent_nobody_can_be_consulted(self, room):
        Session.objects.filter(id=room.session.id).update(active_agent=agent("scout").id)
        refusal = room.refused("sam", "what?", "agent:archivist", dispatch="consult")
        assert (refusal.status, refusal.code) == (422, "no_mode")
