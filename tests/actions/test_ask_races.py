"""Two answers at once, an answer and the end of its time, an answer and a stop: one end, whoever was faster."""

from __future__ import annotations

import pytest

from messaging.actions.answer_ask import answer_ask
from messaging.actions.show_asks import show_asks
from messaging.actions.stop import stop
from messaging.actions.sweep import sweep
from messaging.agents import turn
from messaging.domain.ask import Surface
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Seat, ToolCall, Turn
from messaging.transcript.models import Ask, AskShown, AskStep, AuditEntry
from tests.actions.asks import ARGUMENTS, asked, calling, permit, plot_call, plotting, runs, too_late
from tests.actions.test_deed_races import ROUNDS, ordered, sound, together
from tests.cast import Room, person

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def room(monkeypatch) -> Room:
    room = Room.open()
    Seat.objects.filter(session=room.session.id, kind="hosted").update(provider="fake")
    permit(plot="ask")
    return room


@pytest.fixture
def plot(room, monkeypatch):
    plot = plotting(monkeypatch)
    calling(monkeypatch, plot_call())
    return plot


@pytest.fixture
def ask(room, plot) -> Ask:
    found = asked(room)
    show_asks(person("alex"), Surface.REST)
    return found


def answer(ask: Ask, choice: str = "Approve") -> str:
    return answer_ask(person("alex"), ask.id, choice, Surface.REST).answer


def one_end(room: Room, ask: Ask) -> str:
    """The ask's state: with one step, one entry and one line on record for it."""
    sound(room)
    state = Ask.objects.get(id=ask.id).state
    assert list(AskStep.objects.order_by("at").values_list("state", flat=True)) == ["open", state]
    assert AuditEntry.objects.filter(verb="ask", about=ask.id).count() == 2
    return state


@pytest.mark.parametrize("n", ROUNDS)
def test_two_answers(room, plot, ask, n):
    first, second = ordered(n, lambda: answer(ask), lambda: answer(ask, "Decline"))
    assert sorted([first, second]) in (["Approve", "closed"], ["Decline", "closed"])
    assert one_end(room, ask) == "answered"
    assert Ask.objects.get().answer in (first, second)
    runs(room)
    assert plot.done == ([ARGUMENTS] if first == "Approve" else [])


@pytest.mark.parametrize("n", ROUNDS)
def test_an_answer_and_a_stop(room, plot, ask, n):
    given, stopped = ordered(n, lambda: answer(ask), lambda: stop(person("sam"), room.session))
    assert stopped is True
    assert one_end(room, ask) == {"Approve": "answered", "closed": "withdrawn"}[given]
    assert claim(room.seat("mirror").id) is None
    assert (Turn.objects.get().state, plot.done) == ("stopped", [])


@pytest.mark.parametrize("n", ROUNDS)
def test_an_answer_and_the_end_of_its_time(room, plot, ask, n):
    too_late(ask)
    given, _ = ordered(n, lambda: answer(ask), sweep)
    sweep()
    assert (given, one_end(room, ask)) == ("closed", "expired")
    assert ToolCall.objects.get().reason == "no_answer"
    runs(room)
    assert plot.done == []


@pytest.mark.parametrize("n", ROUNDS)
def test_an_answer_in_time_and_a_sweep(room, plot, ask, n):
    given, _ = ordered(n, lambda: answer(ask), sweep)
    assert (given, one_end(room, ask)) == ("Approve", "answered")
    runs(room)
    assert plot.done == [ARGUMENTS]


def test_two_sweeps_ask_once(room, plot):
    room.say("sam", "a question", "active_agent")
    held = claim(room.seat("mirror").id)
    assert held is not None
    turn.run(held, lambda: False)
    together(sweep, sweep)
    one_of = Ask.objects.get()
    assert (one_of.state, AskStep.objects.count()) == ("open", 1)
    sound(room)


def test_two_pages_show_it_at_once(room, plot, ask):
    AskShown.objects.all().delete()
    together(*[lambda: show_asks(person("alex"), Surface.WEB)] * 4)
    assert AskShown.objects.get().surface == "web"


@pytest.mark.parametrize("n", ROUNDS)
def test_two_processes_take_up_what_was_approved(room, plot, ask, n):
    answer(ask)
    seat = room.seat("mirror").id
    held = together(lambda: claim(seat), lambda: claim(seat))
    assert sorted(one is None for one in held) == [False, True]
