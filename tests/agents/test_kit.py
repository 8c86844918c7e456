"""What one attempt may call: opened once, closed at its end however that comes, and ended by who looks meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from messaging.agents import tools, turn
from messaging.agents.context import Offer
from messaging.agents.providers.base import ProviderError
from messaging.agents.tools import Result, Tool, kit
from messaging.agents.watch import Interrupted
from messaging.domain.call import Call
from messaging.mailbox import calls
from messaging.mailbox.claim import claim
from messaging.mailbox.lease import LeaseLost
from messaging.mailbox.models import Attempt, Seat, ToolCall, Turn
from tests.agents.fakes import Fake, put_in
from tests.mailbox import cast

pytestmark = pytest.mark.django_db
NAME = "notes__write"
ALLOWED = {"tools": {NAME: "allowed", "peers": "allowed"}}


class Opened:
    """Sources with one tool, whose call does what a test wants."""

    deed: Callable[[Callable[[], None]], str] = staticmethod(lambda _: "written")
    made: list[Opened] = []

    def __init__(self, seat: Seat, look: Callable[[], None] | None = None) -> None:
        self.look = look or (lambda: None)
        self.closed = 0
        type(self).made.append(self)

    def tools(self) -> Sequence[Tool]:
        return [
            Tool(Offer(NAME, "Writes.", {"type": "object"}), lambda *_: Result(type(self).deed(self.look)), acts=True)
        ]

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def opened(monkeypatch) -> type[Opened]:
    own = type("Own", (Opened,), {"made": []})
    monkeypatch.setattr(kit, "Opened", own)
    return own


@pytest.fixture
def seat() -> Seat:
    return cast.mirror(provider="fake", policy=ALLOWED)


def run(seat: Seat, stopping: Callable[[], bool] = lambda: False) -> Turn:
    cast.told(seat, "and now?")
    held = claim(seat.id)
    assert held is not None
    turn.run(held, stopping)
    return Turn.objects.get(id=held.turn)


def once(monkeypatch, *first: str | Call) -> Fake:
    return put_in(monkeypatch, Fake(lambda request: iter(first if request.step == 1 else ["done"])))


def test_a_sources_tools_come_after_the_houses_and_are_closed_with_the_attempt(seat, opened, monkeypatch):
    model = once(monkeypatch, Call("call-1", NAME, {}))
    assert run(seat).state == "finished"
    assert [one.name for one in model.requests[0].tools] == ["peers", NAME]
    assert ToolCall.objects.get().result == "written"
    assert Attempt.objects.get().acted is True
    assert [one.closed for one in opened.made] == [1]


def test_no_source_takes_the_place_of_a_tool_of_the_house(seat, opened, monkeypatch):
    monkeypatch.setattr(opened, "tools", lambda _: [Tool(Offer("peers", "Poses.", {}), lambda *_: Result("posing"))])
    once(monkeypatch, Call("call-1", "peers", {}))
    run(seat)
    assert ToolCall.objects.get().result == "There is no other agent here."


def is_stopped(look: Callable[[], None]) -> str:
    cast.stop(Turn.objects.get().id)
    look()
    return "unnoticed"


def fails(_: object) -> None:
    raise ProviderError("provider_refused")


@pytest.mark.parametrize(
    ("deed", "state"),
    [
        (is_stopped, "stopped"),
        (lambda _: 1 / 0, "finished"),
        (fails, "finished"),
    ],
)
def test_however_a_call_ends_everything_is_closed(seat, opened, monkeypatch, deed, state):
    monkeypatch.setattr("messaging.agents.watch.LOOK_EVERY", 0.0)
    monkeypatch.setattr(opened, "deed", staticmethod(deed))
    once(monkeypatch, Call("call-1", NAME, {}))
    assert run(seat).state == state
    assert [one.closed for one in opened.made] == [1]


def test_whoever_looks_meanwhile_ends_the_call_and_not_the_tool(seat, opened, monkeypatch):
    for raised in (LeaseLost, Interrupted):

        def deed(_: object, raised: type[Exception] = raised) -> str:
            raise raised

        monkeypatch.setattr(opened, "deed", staticmethod(deed))
        with pytest.raises(raised):
            kit.Kit(seat).run(seat, Call("call-1", NAME, {}))


def test_a_process_that_is_about_to_end_says_so_and_the_turn_is_not_tried_again_for_it_has_acted(
    seat, opened, monkeypatch
):
    ending: list[bool] = []
    monkeypatch.setattr(opened, "deed", staticmethod(lambda look: ending.append(True) or look() or "unnoticed"))
    once(monkeypatch, Call("call-1", NAME, {}))
    done = run(seat, lambda: bool(ending))
    assert (done.state, done.reason) == ("failed", "interrupted")
    assert ToolCall.objects.get().result == ""
    assert [one.closed for one in opened.made] == [1]


def test_of_what_is_not_offered_nothing_is_run(seat, opened):
    seat.policy = {"tools": {NAME: "denied", "notes__*": "allowed"}}
    with pytest.raises(tools.Failed, match="no such tool"):
        kit.Kit(seat).run(seat, Call("call-1", NAME, {}))
    seat.policy = {"tools": {"notes__*": "allowed"}}
    given = kit.Kit(seat).run(seat, Call("call-1", NAME, {}))
    assert given is not None


def test_what_is_approved_is_taken_up_once(seat, opened):
    cast.told(seat, "and now?")
    held = claim(seat.id)
    assert held is not None
    [row] = calls.begin(held, "", [Call("call-1", NAME, {"n": 1})], acts=True)
    own = calls.digest(calls.canonical(NAME, {"n": 1}))
    assert calls.take_up(held, row) is False, "nobody has approved it"
    ToolCall.objects.update(state="approved", approved=own)
    assert [one.id for one in calls.approved(held)] == [row.id]
    assert calls.take_up(held, row) is True
    assert calls.take_up(held, row) is False
    ToolCall.objects.update(state="approved")
    cast.lease_runs_out(held.turn)
    with pytest.raises(LeaseLost):
        calls.take_up(held, row)


def test_numbers_that_are_none_are_kept_as_words(seat, opened):
    assert calls.storable({"a": float("nan"), "b": [float("inf"), 1.5]}) == {"a": "nan", "b": ["inf", 1.5]}
