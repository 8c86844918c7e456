"""Asks from the call to the answer: one person, one exact content, one answer, and what was approved runs once."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from messaging.actions import asking
from messaging.actions.close_account import close_account
from messaging.actions.close_session import close_session
from messaging.actions.collect import collect
from messaging.actions.configure import configure
from messaging.actions.enrol import add_agent, add_person
from messaging.actions.join import join
from messaging.actions.manage_members import remove_member
from messaging.actions.own import own
from messaging.actions.reclassify import reclassify
from messaging.actions.show_asks import show_asks
from messaging.actions.stop import stop
from messaging.actions.sweep import sweep
from messaging.agents import turn
from messaging.agents.context import Called
from messaging.domain.ask import OPEN_FOR, AskState, Surface, canonical, digest
from messaging.domain.call import Call
from messaging.domain.capability import Role
from messaging.journal import clock as clocks
from messaging.mailbox.claim import claim, due
from messaging.mailbox.models import Attempt, Delivery, Seat, ToolCall, Turn
from messaging.roster.access import caller_of
from messaging.roster.models import Agent, Installation, Person, Session
from messaging.transcript.models import Ask, AskStep, AuditEntry, Message
from tests.actions.asks import (
    ARGUMENTS,
    PLOT,
    answers,
    asked,
    calling,
    permit,
    plot_call,
    plotting,
    question,
    refused,
    runs,
    too_late,
)
from tests.cast import Room, agent, person
from tests.mailbox import cast

pytestmark = pytest.mark.django_db
CANARY = "CANARY-5a1d"


@pytest.fixture
def room() -> Room:
    room = Room.open()
    Seat.objects.filter(session=room.session.id, kind="hosted").update(provider="fake")
    return room


@pytest.fixture
def plot(monkeypatch):
    return plotting(monkeypatch)


def called(model) -> Called:
    """What the model is told of its call in its last request."""
    [line] = [line for line in model.requests[-1].lines if isinstance(line, Called)]
    return line


def on_record(ask: Ask) -> list[tuple[str, str]]:
    rows = AuditEntry.objects.filter(verb="ask", about=ask.id).order_by("at", "id")
    return [(row.actor, row.detail["change"]) for row in rows]


class TestAnApproval:
    @pytest.fixture
    def model(self, room, plot, monkeypatch):
        permit(plot="ask")
        return calling(monkeypatch, plot_call())

    def test_the_owner_is_asked_for_exactly_this_call_and_nothing_runs_meanwhile(self, room, plot, model):
        ask = asked(room)
        assert (ask.person.handle.spelled, ask.kind, ask.state, ask.tool) == ("alex", "approval", "open", PLOT)
        assert (ask.asker, ask.agent.handle.spelled, ask.options) == ("sam", "mirror", ["Approve", "Decline"])
        assert json.loads(ask.content) == {"tool": PLOT, "arguments": ARGUMENTS}
        assert ask.digest == digest(canonical(PLOT, ARGUMENTS))
        assert ask.expires_at - ask.made_at == OPEN_FOR
        assert plot.done == []
        assert (due(), Turn.objects.get().lease_owner) == ([], None), "nothing is held"
        collect(room.session.id)
        assert Ask.objects.count() == 1, "nobody is asked twice"

    def test_approved_it_runs_once_and_the_turn_goes_on(self, room, plot, model):
        ask = asked(room)
        view = answers("alex", ask, digest=ask.digest)
        assert (view.state, view.answer) == ("answered", "Approve")
        assert plot.done == [], "the house runs nothing of the agents'"
        call = ToolCall.objects.get()
        assert (call.state, call.approved) == ("approved", ask.digest)
        done = runs(room)
        assert (done.state, done.attempts, plot.done) == ("finished", 1, [ARGUMENTS])
        assert (called(model).text, called(model).failed) == ("it is done", False)
        assert on_record(ask) == [("mirror", "made"), ("alex", "answered")]
        assert Attempt.objects.get().acted is True
        assert claim(room.seat("mirror").id) is None

    def test_declined_it_never_runs(self, room, plot, model):
        answers("alex", asked(room), "Decline")
        assert runs(room).state == "finished"
        assert (called(model).failed, "declined" in called(model).text) == (True, True)
        assert (ToolCall.objects.get().reason, plot.done) == ("declined", [])

    def test_when_nobody_answers_the_model_hears_so(self, room, plot, model):
        ask = asked(room)
        too_late(ask)
        sweep()
        assert Ask.objects.get().state == "expired"
        assert runs(room).state == "finished"
        assert called(model).text == "Whoever could approve it did not answer."
        assert (ToolCall.objects.get().reason, plot.done) == ("no_answer", [])
        assert on_record(ask) == [("mirror", "made"), ("house", "expired")]
        assert refused("alex", ask) == "closed"

    def test_it_holds_for_that_call_alone(self, room, plot, monkeypatch):
        permit(plot="ask")

        def bits(request):
            if request.step < 3:
                yield plot_call(request.step)
            else:
                yield "done"

        model = calling(monkeypatch)
        model._bits = bits
        first = asked(room)
        answers("alex", first)
        assert runs(room).state == "running"
        second = Ask.objects.exclude(id=first.id).get()
        assert (plot.done, second.digest) == ([ARGUMENTS], first.digest), "the same again is asked for again"
        answers("alex", second, "Decline")
        assert runs(room).state == "finished"
        assert plot.done == [ARGUMENTS]

    def test_two_calls_of_one_step_are_two_asks_and_both_are_waited_for(self, room, plot, monkeypatch):
        permit(plot="ask")
        calling(monkeypatch, plot_call(1, line=1), plot_call(2, line=2))
        asked(room)
        first, second = Ask.objects.order_by("made_at")
        answers("alex", second)
        assert claim(room.seat("mirror").id) is None
        answers("alex", first, "Decline")
        assert runs(room).state == "finished"
        assert plot.done == [{"line": 2}]

    def test_nothing_else_than_was_approved_is_run(self, room, plot, model):
        answers("alex", asked(room))
        ToolCall.objects.update(arguments={"path": "else"})
        assert runs(room).state == "finished"
        assert plot.done == []
        assert called(model).failed

    def test_what_is_not_approved_never_runs_whatever_its_row_says(self, room, plot, model):
        asked(room)
        ToolCall.objects.update(state="approved")
        Turn.objects.update(not_before=timezone.now())
        runs(room)
        assert plot.done == []

    def test_without_an_owner_there_is_nobody_to_ask(self, room, plot, model):
        Installation.objects.update(owner=None)
        room.say("sam", "a question", "active_agent")
        runs(room)
        assert runs(room).state == "finished"
        assert (ToolCall.objects.get().reason, Ask.objects.count(), plot.done) == ("nobody_to_ask", 0, [])

    def test_a_tool_that_is_not_offered_is_asked_for_by_nobody(self, room, plot, monkeypatch):
        permit(plot="denied", recall="ask")
        calling(monkeypatch, plot_call(), Call("call-2", "recall", {"words": "x" * 20_000}))
        room.say("sam", "a question", "active_agent")
        assert runs(room).state == "finished"
        assert set(ToolCall.objects.values_list("reason", flat=True)) == {"no_such_tool", "bad_arguments"}
        assert not Ask.objects.exists()

    def test_once_it_is_denied_what_was_approved_is_not_run(self, room, plot, model):
        answers("alex", asked(room))
        permit(plot="denied")
        assert runs(room).state == "finished"
        assert (ToolCall.objects.get().reason, plot.done) == ("no_such_tool", [])

    def test_a_turn_that_died_after_it_had_begun_is_not_tried_again(self, room, plot, model):
        answers("alex", asked(room))
        held = claim(room.seat("mirror").id)
        ToolCall.objects.update(state="running")
        Turn.objects.filter(id=held.turn).update(lease_until=timezone.now() - timedelta(seconds=1))
        assert claim(held.seat) is None
        dead = Turn.objects.get()
        assert (dead.state, dead.reason, dead.retryable, plot.done) == ("failed", "interrupted", False, [])


class TestWhatTheHouseDoes:
    @pytest.fixture
    def other(self, room):
        join(room.session, add_agent("archivist", kind="hosted", provider="mirror"), Role.AGENT)
        return room.seat("archivist")

    def consult(self, monkeypatch):
        return calling(monkeypatch, Call("call-1", "send", {"agent": "archivist", "text": "look into this"}))

    def test_is_done_once_it_is_approved(self, room, other, monkeypatch):
        permit(send="ask")
        self.consult(monkeypatch)
        ask = asked(room)
        assert not Delivery.objects.filter(seat=other).exists()
        answers("alex", ask)
        assert Delivery.objects.get(seat=other).text == "look into this"
        assert runs(room).state == "finished"
        assert Message.objects.filter(dispatch="future_turn", author_kind="agent").count() == 1

    def test_and_never_where_it_is_declined(self, room, other, monkeypatch):
        permit(send="ask")
        self.consult(monkeypatch)
        answers("alex", asked(room), "Decline")
        assert runs(room).state == "finished"
        assert not Delivery.objects.filter(seat=other, purpose="input").exists()

    def test_the_house_takes_no_process_at_its_word(self, room, other, monkeypatch):
        """The agents' process parks the call as if it needed nobody's word."""
        permit(send="allowed")
        self.consult(monkeypatch)
        room.say("sam", "a question", "active_agent")
        held = claim(room.seat("mirror").id)
        turn.run(held, lambda: False)
        permit(send="ask")
        collect(room.session.id)
        assert Ask.objects.get().state == "open"
        assert not Delivery.objects.filter(seat=other).exists()

    def test_what_a_person_wishes_for_needs_nobody_elses_word(self, room, other, monkeypatch):
        permit(consult="ask")
        calling(monkeypatch)
        room.say("sam", "what do we know?", "agent:archivist", dispatch="consult")
        runs(room)
        assert not Ask.objects.exists()
        assert Message.objects.filter(dispatch="consult", author_kind="agent").count() == 1


class TestTheOwnersTools:
    @pytest.mark.parametrize(("who", "done"), [("alex", [ARGUMENTS]), ("sam", []), ("mo", [])])
    def test_are_for_turns_on_the_owners_own_words_alone(self, room, plot, monkeypatch, who, done):
        permit(plot="owner")
        model = calling(monkeypatch, plot_call())
        room.say(who, "a question", "active_agent")
        assert runs(room).state == ("finished" if done else "failed"), "a call of nothing that was offered is no answer"
        assert plot.done == done
        assert [tool.name for tool in model.requests[0].tools] == ([PLOT] if done else [])

    def test_not_for_words_of_the_owners_that_somebody_else_brought(self, room, plot, monkeypatch):
        permit(plot="owner")
        model = calling(monkeypatch, plot_call())
        said = room.say("alex", "do it", "participants")
        reclassify(person("mo"), said.id, "active_agent", "it should hear this", confirm=True)
        runs(room)
        assert plot.done == []
        assert model.requests[0].tools == ()

    def test_are_gone_with_the_ownership_in_the_midst_of_a_turn(self, room, plot, monkeypatch):
        permit(plot="owner")

        def bits(request):
            if request.step == 1:
                own("sam")
            yield from [plot_call(request.step)] if request.step < 3 else ["done"]

        model = calling(monkeypatch)
        model._bits = bits
        room.say("alex", "do it", "active_agent")
        runs(room)
        assert plot.done == []
        assert [len(one.tools) for one in model.requests][:2] == [1, 1], "services are told of what was called before"

    def test_follow_the_installation_to_its_next_owner(self, room, plot, monkeypatch):
        assert set(Seat.objects.values_list("owner", flat=True)) == {"alex"}
        own("sam")
        assert set(Seat.objects.values_list("owner", flat=True)) == {"sam"}
        permit(plot="owner")
        calling(monkeypatch, plot_call())
        room.say("sam", "do it", "active_agent")
        runs(room)
        assert plot.done == [ARGUMENTS]

    def test_a_seat_that_missed_the_change_is_found_by_the_sweep(self, room):
        Seat.objects.filter(handle="mirror").update(owner="mo")
        sweep()
        assert room.seat("mirror").owner == "alex"


class TestWhoMayAnswer:
    @pytest.fixture
    def ask(self, room, plot, monkeypatch):
        permit(plot="ask")
        calling(monkeypatch, plot_call())
        return asked(room)

    @pytest.mark.parametrize("who", ["mo", "sam", "vic", "gus", "xan"])
    def test_for_anybody_else_there_is_nothing(self, ask, who):
        assert show_asks(person(who), Surface.REST) == []
        assert refused(who, ask) == "hidden"
        assert Ask.objects.get().state == "open"

    def test_once(self, ask):
        answers("alex", ask, "Decline")
        assert refused("alex", ask) == "closed"
        assert (Ask.objects.get().answer, AskStep.objects.count()) == ("Decline", 2)

    def test_where_it_was_shown(self, ask):
        assert refused("alex", ask, seen=False) == "not_shown"
        show_asks(person("alex"), Surface.WEB)
        assert refused("alex", ask, seen=False) == "not_shown"
        answers("alex", ask)

    def test_with_one_of_the_options_and_what_was_looked_at(self, ask):
        assert refused("alex", ask, "Yes") == "bad_choice"
        assert refused("alex", ask, "") == "bad_choice"
        assert refused("alex", ask, digest="0" * 64) == "conflict"
        assert Ask.objects.get().state == "open"

    def test_not_once_its_time_is_over_whether_that_was_noted_or_not(self, ask):
        show_asks(person("alex"), Surface.REST)
        too_late(ask)
        assert refused("alex", ask) == "closed"
        assert show_asks(person("alex"), Surface.REST, only_open=True) == []

    def test_not_who_owned_the_place_once(self, room, ask):
        show_asks(person("alex"), Surface.REST)
        own("mo")
        assert refused("alex", ask) == "no_capability"
        assert refused("mo", ask) == "hidden"

    def test_showing_it_again_is_noted_once(self, ask):
        for _ in range(2):
            [view] = show_asks(person("alex"), Surface.REST)
        assert view.id == str(ask.id)
        assert ask.shown.count() == 1


class TestAnEnd:
    @pytest.fixture
    def ask(self, room, plot, monkeypatch):
        permit(plot="ask")
        calling(monkeypatch, plot_call())
        return asked(room)

    def test_of_the_turn_takes_it_back_in_the_same_breath(self, room, ask):
        assert stop(person("sam"), room.session) is True
        assert Ask.objects.get().state == "withdrawn"
        assert refused("alex", ask) == "closed"
        assert on_record(ask)[-1] == ("sam", "withdrawn")
        sweep()
        assert (ToolCall.objects.get().state, ToolCall.objects.get().reason) == ("failed", "stopped")

    def test_of_the_session_too(self, room, ask):
        close_session(person("alex"), room.session)
        assert Ask.objects.get().state == "withdrawn"

    def test_by_the_agents_own_process_too(self, room, ask):
        """Nothing that it does ends a turn that waits; were it to, an answer would come too late."""
        cast.stop(Turn.objects.get().id)
        assert refused("alex", ask) == "closed"
        sweep()
        assert Ask.objects.get().state == "withdrawn"

    def test_stopped_once_approved_it_is_not_run(self, room, plot, ask):
        answers("alex", ask)
        stop(person("sam"), room.session)
        assert claim(room.seat("mirror").id) is None
        assert plot.done == []

    def test_a_wake_that_got_lost_loses_nothing(self, room, plot, ask):
        answers("alex", ask)
        assert due() == [room.seat("mirror").id]


class TestAQuestion:
    def model(self, monkeypatch, **more):
        permit(ask="allowed")
        return calling(monkeypatch, question(**more))

    def test_goes_to_whose_words_the_turn_works_on_and_comes_back_as_the_option(self, room, monkeypatch):
        model = self.model(monkeypatch)
        ask = asked(room)
        assert (ask.kind, ask.person.handle.spelled, ask.content) == ("question", "sam", "which?")
        assert ask.options == ["Blue", "Green"]
        assert refused("alex", ask, "Blue") == "hidden"
        assert answers("sam", ask, "Blue").answer == "Blue"
        assert runs(room).state == "finished"
        assert (called(model).text, called(model).failed) == ("Blue", False)
        row = AuditEntry.objects.get(about=ask.id, detail__change="answered")
        assert "Blue" not in json.dumps(row.detail), "an agent's words are in no record"

    def test_goes_to_whom_it_names(self, room, monkeypatch):
        self.model(monkeypatch, person="vic")
        assert asked(room).person.handle.spelled == "vic"

    def test_expired_the_model_hears_who_did_not_answer(self, room, monkeypatch):
        model = self.model(monkeypatch)
        too_late(asked(room))
        sweep()
        assert runs(room).state == "finished"
        assert (called(model).text, called(model).failed) == ("sam did not answer.", True)

    @pytest.mark.parametrize(
        ("more", "reason"),
        [
            ({"person": "xan"}, "no_such_target"),
            ({"person": "scout"}, "no_such_target"),
            ({"person": 5}, "no_such_target"),
            ({"options": ["one"]}, "bad_arguments"),
            ({"options": "ab"}, "bad_arguments"),
            ({"text": ""}, "bad_arguments"),
        ],
    )
    def test_what_cannot_be_asked_is_told_to_the_model(self, room, monkeypatch, more, reason):
        self.model(monkeypatch, **more)
        room.say("sam", "a question", "active_agent")
        runs(room)
        assert runs(room).state == "finished"
        assert (ToolCall.objects.get().reason, Ask.objects.count()) == (reason, 0)

    def test_by_an_agent_asked_by_an_agent_has_to_name_somebody(self, room, monkeypatch):
        self.model(monkeypatch)
        room.say(agent("scout"), "look", "agent:mirror", dispatch="future_turn")
        runs(room)
        assert ToolCall.objects.get().reason == "nobody_to_ask"

    def test_takes_the_right_to_write_to_single_people(self, room, monkeypatch):
        configure(person("alex"), room.session, roles={"agent": ["post_agent", "post_human"]})
        self.model(monkeypatch)
        room.say("sam", "a question", "active_agent")
        runs(room)
        assert ToolCall.objects.get().reason == "no_capability"

    def test_needs_nobodys_word(self, room, monkeypatch):
        self.model(monkeypatch)
        permit(ask="ask")
        ask = asked(room)
        assert (ask.kind, Ask.objects.count()) == ("question", 1)

    def test_who_has_lost_the_session_cannot_answer_and_sees_nothing(self, room, monkeypatch):
        self.model(monkeypatch)
        ask = asked(room)
        show_asks(person("sam"), Surface.REST)
        remove_member(person("alex"), room.session, "sam")
        assert show_asks(person("sam"), Surface.REST) == []
        assert refused("sam", ask, "Blue") == "hidden"

    def test_whose_account_is_closed_cannot_answer(self, room, monkeypatch):
        self.model(monkeypatch)
        ask = asked(room)
        show_asks(person("sam"), Surface.REST)
        close_account(person("alex"), "sam")
        assert refused("sam", ask, "Blue") == "hidden"

    def test_nothing_that_people_say_among_themselves_is_in_it(self, room, monkeypatch):
        room.say("alex", f"{CANARY} between us", "participants")
        room.say("alex", f"{CANARY} to sam", "participant:sam")
        model = self.model(monkeypatch)
        ask = asked(room)
        told = [*Ask.objects.values(), *AskStep.objects.values(), *ToolCall.objects.values()]
        assert CANARY not in repr(told)
        # Who answers by anything but an option is refused, so no words of people come back by it.
        assert refused("sam", ask, f"{CANARY} Blue") == "bad_choice"
        answers("sam", ask, "Green")
        runs(room)
        assert CANARY not in repr(model.requests)
        assert "Green" in repr(model.requests[-1].lines), "the control: what comes back is there"


class TestAReply:
    def test_goes_out_before_the_answer_to_whom_the_answer_would(self, room, monkeypatch):
        permit(reply="allowed")
        model = calling(monkeypatch, Call("call-1", "reply", {"text": "a moment"}))
        asked_by = room.say("sam", "a question", "active_agent")
        assert runs(room).state == "running"
        reply = Message.objects.get(text="a moment")
        assert (reply.audience, str(reply.reply_to_id), reply.answers_id) == ("everyone", asked_by.id, None)
        assert reply.to == ["sam"]
        done = runs(room)
        assert (done.state, called(model).text) == ("finished", "Said.")
        assert str(Message.objects.get(turn=done.id).answers_id) == asked_by.id

    def test_is_for_people_alone_where_answers_are(self, room, monkeypatch):
        Session.objects.filter(id=room.session.id).update(answers="participants")
        permit(reply="allowed")
        calling(monkeypatch, Call("call-1", "reply", {"text": "a moment"}))
        room.say("sam", "a question", "active_agent")
        runs(room)
        assert Message.objects.get(text="a moment").audience == "participants"

    def test_names_a_message_by_the_number_in_its_header(self, room, monkeypatch):
        permit(reply="allowed")
        calling(monkeypatch, Call("call-1", "reply", {"text": "to you, mo", "message": 1}))
        first = room.say("mo", "by the way", "everyone")
        room.say("sam", "a question", "active_agent")
        runs(room)
        reply = Message.objects.get(text="to you, mo")
        assert (str(reply.reply_to_id), reply.to) == (first.id, ["mo"])

    def test_to_an_agent_goes_to_it_and_starts_no_turn(self, room, monkeypatch):
        join(room.session, add_agent("archivist", kind="hosted", provider="mirror"), Role.AGENT)
        permit(reply="allowed")
        calling(monkeypatch, Call("call-1", "reply", {"text": "a moment"}))
        author = Agent.objects.get(handle__spelled="archivist")
        room.say(caller_of(author), "look", "agent:mirror", dispatch="future_turn")
        runs(room)
        row = Delivery.objects.get(seat__handle="archivist", text="a moment")
        assert row.purpose == "context"
        assert Message.objects.get(text="a moment").targets == ["archivist"]

    @pytest.mark.parametrize("number", [99, 0, -1, "x", 1.5, True, "9" * 50, 10**30, None])
    def test_what_it_was_not_shown_it_cannot_reply_to(self, room, monkeypatch, number):
        permit(reply="allowed")
        calling(monkeypatch, Call("call-1", "reply", {"text": "psst", "message": number}))
        room.say("alex", f"{CANARY}", "participants")
        room.say("sam", "a question", "active_agent")
        runs(room)
        assert ToolCall.objects.get().reason == "bad_arguments"
        assert not Message.objects.filter(text="psst").exists()

    def test_needs_a_word_where_the_policy_says_so(self, room, monkeypatch):
        permit(reply="ask")
        calling(monkeypatch, Call("call-1", "reply", {"text": "a moment"}))
        answers("alex", asked(room))
        assert Message.objects.filter(text="a moment").count() == 1
        assert runs(room).state == "finished"


def test_the_owner_need_not_be_in_the_session(room, plot, monkeypatch):
    add_person("ida", staff=True)
    own("ida")
    permit(plot="ask")
    calling(monkeypatch, plot_call())
    ask = asked(room)
    assert ask.person == Person.objects.get(handle__spelled="ida")
    answers("ida", ask)
    assert runs(room).state == "finished"


def test_it_ends_once_whoever_ends_it(room, plot, monkeypatch):
    permit(plot="ask")
    calling(monkeypatch, plot_call())
    ask = asked(room)
    held = clocks.lock([room.session.id])[room.session.id]
    assert asking.end(held, ask, AskState.EXPIRED, "house") is True
    assert asking.end(held, ask, AskState.ANSWERED, "alex", "Approve") is False
    assert (Ask.objects.get().state, Ask.objects.get().answer) == ("expired", "")
