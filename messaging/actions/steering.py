"""Whether what somebody says into a running turn steers it, and what becomes of it where it does not."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

from messaging.actions.draft import Draft, Refusal
from messaging.domain.audience import ActiveAgent, Agents, Audience
from messaging.domain.turn import TurnState, Window
from messaging.mailbox.models import Purpose, Seat, SeatKind, Turn
from messaging.roster.models import Installation


@dataclass(frozen=True, slots=True)
class Running:
    """A seat's running turn. `only`: the installation's owner, where it works for them: they alone steer it."""

    turn: UUID
    window: str
    only: UUID | None


#: Running turns, by seat.
Turns: TypeAlias = Mapping[UUID, Running]


@dataclass(frozen=True, slots=True)
class Steering:
    """The turn that it steers; or None and the reason why it waits. `late`: the reason why that turn takes no more."""

    turn: UUID | None = None
    reason: str = ""
    late: str = ""


def at_work(seats: Collection[UUID]) -> Turns:
    """The turns that these seats run. Good as long as the seats are locked: without that lock none begins or ends."""
    rows = list(Turn.objects.filter(seat__in=seats, state=TurnState.RUNNING).select_related("input"))
    owner = Installation.objects.filter(owner__isnull=False).values_list("owner", "owner__handle__spelled").first()
    return {row.seat_id: Running(row.id, row.window, _only(row, owner)) for row in rows}


def _only(turn: Turn, owner: tuple[UUID, str] | None) -> UUID | None:
    asked = turn.input.author_kind, turn.input.author
    return owner[0] if owner is not None and asked == ("human", owner[1]) else None


def steer(draft: Draft, audience: Audience, seats: Sequence[tuple[Seat, Purpose]], turns: Turns) -> Steering | None:
    """What a draft that is to steer becomes before its seat; None for any other. Raises Refusal."""
    if draft.delivery != "steer":
        return None
    if not isinstance(audience, ActiveAgent | Agents) or len(seats) != 1:
        raise Refusal.shape("delivery", "is steer only towards the active agent, or one agent by name")
    [(seat, _)] = seats
    turn = turns.get(seat.id)
    if seat.kind != SeatKind.HOSTED:
        return Steering(reason="no_steering")
    if turn is None:
        return Steering(reason="idle")
    if turn.only not in (None, draft.author.id):
        return Steering(reason="not_yours")
    return Steering(turn.turn, late="" if turn.window == Window.OPEN else "steps_used_up")
