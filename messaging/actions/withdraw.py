"""Takes back what still waits before agents, as somebody's deed."""

from __future__ import annotations

from django.db.models import Q

from messaging.domain.disposition import WAITING, Disposition
from messaging.mailbox.models import Delivery, Transition
from messaging.mailbox.move import Move, move


def withdraw(rows: Q, by: str, reason: str) -> list[tuple[Delivery, Transition]]:
    """Supersedes those of these rows that wait, and answers with each as it was and its step; what was faster stays.

    Call it with their seats locked: whoever claims, steers or ends a turn takes the seat first.
    """
    waiting = list(Delivery.objects.filter(rows, state__in=WAITING).select_related("seat").order_by("place"))
    after = Disposition.SUPERSEDED
    wishes = [Move(one.id, Disposition(one.state), after, by, reason, turn=one.turn) for one in waiting]
    steps = {step.delivery_id: step for step in move(wishes, journaled=True)}
    return [(one, steps[one.id]) for one in waiting if one.id in steps]
