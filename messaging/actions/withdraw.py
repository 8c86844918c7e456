"""Takes back what of a message still waits before agents."""

from __future__ import annotations

from uuid import UUID

from messaging.domain.disposition import WAITING, Disposition
from messaging.mailbox.models import Delivery, Transition, Turn
from messaging.mailbox.move import Move, move


def withdraw(message: UUID, by: str, reason: str) -> list[tuple[Delivery, Transition]]:
    """Supersedes the rows that wait, and answers with each as it was and its step; those that were faster stay.

    Call it with the seats locked.
    """
    rows = list(Delivery.objects.filter(message=message, state__in=WAITING).select_related("seat").order_by("place"))
    # A turn that ends meanwhile lets go what was to steer it: whoever holds its row is first.
    turns = [row.turn for row in rows if row.turn is not None and row.state == Disposition.STEERING_REQUESTED]
    if turns:
        list(Turn.objects.select_for_update(of=("self",), no_key=True).filter(id__in=turns).order_by("id"))
    wishes = [Move(row.id, Disposition(row.state), Disposition.SUPERSEDED, by, reason, turn=row.turn) for row in rows]
    steps = {step.delivery_id: step for step in move(wishes, journaled=True)}
    return [(row, steps[row.id]) for row in rows if row.id in steps]
