"""Ends running turns and takes back what waits, at once: nobody waits for an agent to agree.

Its process learns of it by its lease, within a second, and hangs up on its model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from messaging.actions.record import record
from messaging.domain.disposition import Disposition
from messaging.domain.turn import TurnState
from messaging.journal import clock as clocks
from messaging.journal import metrics
from messaging.journal.clock import Held
from messaging.journal.models import Kind
from messaging.mailbox import clear as mailbox
from messaging.mailbox import turns
from messaging.mailbox.models import Delivery, Purpose, Seat, SeatKind, Turn
from messaging.mailbox.move import Move, move
from messaging.roster.access import Viewer

_WAITING = (Disposition.QUEUED, Disposition.STEERING_REQUESTED)


@dataclass(frozen=True, slots=True)
class Halted:
    """The turns that were ended, and how much input was taken back."""

    turns: Sequence[UUID]
    taken_back: int


def lock_seats(held: Held) -> list[Seat]:
    """The session's hosted seats, locked: none of them begins or ends a turn meanwhile."""
    ids = Seat.objects.filter(session=held.session, kind=SeatKind.HOSTED).values_list("id", flat=True)
    return list(mailbox.lock(ids).values())


def running(seats: Sequence[Seat]) -> QuerySet[Turn]:
    """The turns that run at these seats."""
    return Turn.objects.filter(seat__in=seats, state=TurnState.RUNNING)


def asked_by(who: Viewer, prefix: str = "") -> Q:
    """What somebody said to agents; with `input__`, the turns that work on it."""
    return Q(**{f"{prefix}author": who.handle, f"{prefix}author_kind": who.kind})


def halt(held: Held, who: Viewer, seats: Sequence[Seat], *, turns_of: Q, input_of: Q) -> Halted:
    """Ends the seats' running turns that are `turns_of`, and supersedes waiting input and steers that are `input_of`.

    Whatever else was to steer such a turn is too late. Call it with clock and seats locked.
    """
    rows = running(seats).filter(turns_of).select_for_update(of=("self",), no_key=True)
    ending = list(rows.order_by("id"))
    waiting = Delivery.objects.filter(input_of, seat__in=seats, purpose=Purpose.INPUT, state__in=_WAITING)
    wishes = [
        Move(row.id, Disposition(row.state), Disposition.SUPERSEDED, who.handle, "stopped", turn=row.turn)
        for row in waiting.order_by("place")
    ]
    taken_back = move(wishes, journaled=True)
    record(held, taken_back)
    for turn in ending:
        _end(held, turn, who)
    return Halted([turn.id for turn in ending], len(taken_back))


def _end(held: Held, turn: Turn, who: Viewer) -> None:
    """A stopped turn posts no answer."""
    ended = turns.end(turn, TurnState.STOPPED, timezone.now(), by=who.handle, reason="stopped", journaled=True)
    clocks.append(held, [(Kind.TURN, ended.step.id)])
    transaction.on_commit(metrics.turns.labels(TurnState.STOPPED).inc, robust=True)
    record(held, ended.late)
