"""Turns that ask somebody, and short ways to answer them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.utils import timezone

from messaging.actions.answer_ask import answer_ask
from messaging.actions.collect import collect
from messaging.actions.draft import Refusal
from messaging.actions.show_asks import show_asks
from messaging.agents import tools, turn
from messaging.agents.context import Offer, Request
from messaging.agents.tools import Result, Tool
from messaging.domain.ask import Surface
from messaging.domain.call import Call
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Seat, Turn
from messaging.roster.access import Forbidden, Hidden
from messaging.transcript.models import Ask
from messaging.transcript.view import AskView
from tests.agents.fakes import Fake, put_in
from tests.cast import Room, person

PLOT = "plot"
ARGUMENTS = {"path": "notes.txt", "text": "one\ntwo"}


@dataclass
class Plot:
    """A tool of the agents' process that acts: it counts what it did."""

    done: list[Any] = field(default_factory=list)

    def run(self, _: Seat, arguments: Any) -> Result:
        self.done.append(dict(arguments))
        return Result("it is done")


def plotting(monkeypatch) -> Plot:
    """Puts it into every kit."""
    plot = Plot()
    tool = Tool(Offer(PLOT, "Plots.", {"type": "object", "properties": {}}), plot.run, acts=True)
    monkeypatch.setattr(tools, "TOOLS", {**tools.TOOLS, PLOT: tool})
    return plot


def permit(**words: str) -> None:
    """What mirror may call."""
    Seat.objects.filter(handle="mirror").update(policy={"tools": words})


def calling(monkeypatch, *calls: Call, then: str = "so it is") -> Fake:
    """A model that makes these calls in its first step, and answers in the next."""

    def bits(request: Request) -> Iterator[str | Call]:
        if request.step == 1:
            yield from calls
        else:
            yield then

    return put_in(monkeypatch, Fake(bits))


def plot_call(n: int = 1, **arguments: Any) -> Call:
    return Call(f"call-{n}", PLOT, arguments or ARGUMENTS)


def question(text: str = "which?", options: Any = ("Blue", "Green"), **more: Any) -> Call:
    return Call(
        "call-1", "ask", {"text": text, "options": list(options) if isinstance(options, tuple) else options, **more}
    )


def runs(room: Room) -> Turn:
    """The next stretch of mirror's turn, and what the house makes of it."""
    held = claim(room.seat("mirror").id)
    assert held is not None, "there is nothing to do"
    turn.run(held, lambda: False)
    collect(room.session.id)
    return Turn.objects.get(id=held.turn)


def asked(room: Room, who: str = "sam") -> Ask:
    """Somebody sets mirror to work, and it asks."""
    room.say(who, "a question", "active_agent")
    assert runs(room).state == "running"
    return Ask.objects.latest("made_at")


def answers(who: str, ask: Ask, choice: str = "Approve", *, seen: bool = True, digest: str = "") -> AskView:
    """Looks at what there is, and answers."""
    if seen:
        show_asks(person(who), Surface.REST)
    return answer_ask(person(who), ask.id, choice, Surface.REST, digest)


def refused(who: str, ask: Ask, choice: str = "Approve", **more: Any) -> str:
    """The code by which an answer is refused."""
    try:
        answers(who, ask, choice, **more)
    except Refusal as refusal:
        return refusal.code
    except Forbidden as error:
        return error.code
    except Hidden:
        return "hidden"
    raise AssertionError("it was taken")


def too_late(ask: Ask) -> None:
    """What ten minutes do."""
    Ask.objects.filter(id=ask.id).update(expires_at=timezone.now() - timedelta(seconds=1))
