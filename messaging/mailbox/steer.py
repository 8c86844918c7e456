"""Steering: what people say into a running turn, taken in between two of its model steps.

A turn's steers are its rows that are `steering_requested`. All here is done under the locks of the seat and of the
turn, in which the turn also ends: so each steer is in the turn, or too late for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from messaging.domain.disposition import Disposition
from messaging.mailbox.models import Delivery, Purpose
from messaging.mailbox.move import Move, move
from messaging.mailbox.number import number

if TYPE_CHECKING:
    from django.db.models import QuerySet

    from messaging.mailbox.models import Seat, Transition, Turn


def take(turn: Turn, seat: Seat, by: str) -> list[Delivery]:
    """Shows the turn what steers it: the cleared rows, in the order in which they were said; those that it got.

    They get the seat's next numbers. Call it with seat and turn locked.
    """
    rows = list(_asking(turn).filter(cleared_at__isnull=False, withheld_at=None).order_by("place"))
    before, after = Disposition.STEERING_REQUESTED, Disposition.DELIVERED
    moved = {step.delivery_id for step in move([Move(row.id, before, after, by, turn=turn.id) for row in rows])}
    taken = [row for row in rows if row.id in moved]
    if taken:
        number(seat, taken)
    return taken


def refuse_late(turn: Turn, by: str, *, journaled: bool = False) -> list[Transition]:
    """The turn has ended: whatever still asks to steer it is too late. Call it with seat and turn locked."""
    before, after = Disposition.STEERING_REQUESTED, Disposition.TOO_LATE
    late = [Move(row.id, before, after, by, "turn_ended", turn=turn.id) for row in _asking(turn).order_by("place")]
    return move(late, journaled=journaled) if late else []


def steers(turns: Sequence[Turn]) -> list[Delivery]:
    """What these turns were steered by, as far as they have got it, in the seats' own order. They bring their input.

    By the seats' numbers, which rise within a turn: of what an agent was shown before its input nothing is looked at.
    """
    inputs = {turn.input_id: turn.input.number for turn in turns}
    first = min((number for number in inputs.values() if number is not None), default=None)
    if first is None:
        return []
    rows = Delivery.objects.filter(seat__in={turn.seat_id for turn in turns}, number__gt=first, purpose=Purpose.INPUT)
    return list(rows.filter(turn__in=[turn.id for turn in turns]).exclude(id__in=inputs).order_by("number"))


def _asking(turn: Turn) -> QuerySet[Delivery]:
    return Delivery.objects.filter(turn=turn.id, state=Disposition.STEERING_REQUESTED)
