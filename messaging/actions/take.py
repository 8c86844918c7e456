"""A connected agent takes its mail: what it is shown is delivered, under the seat's own next numbers."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from messaging.actions.record import record
from messaging.domain.disposition import Disposition
from messaging.journal import clock as clocks
from messaging.mailbox import clear as mailbox
from messaging.mailbox.models import Seat, SeatKind, Transition
from messaging.mailbox.move import Move, move
from messaging.mailbox.number import number
from messaging.roster.access import AgentCaller, Hidden
from messaging.roster.models import Agent, Session


def take(caller: AgentCaller, session: Session, most: int) -> Seat:
    """Shows at most `most` rows of the seat's oldest waiting mail to its agent; the answer is the seat.

    For a hosted agent nothing is taken here: its turns do that. Raises Hidden without a seat.
    """
    Agent.objects.filter(id=caller.id).update(seen_at=timezone.now())
    with transaction.atomic():
        held = clocks.lock([session.id])[session.id]
        ids = Seat.objects.filter(session=session.id, agent=caller.id, open=True).values_list("id", flat=True)
        seat = next(iter(mailbox.lock(ids).values()), None)
        if seat is None:
            raise Hidden
        if seat.kind == SeatKind.CONNECTED and most > 0:
            record(held, _show(seat, caller, most))
    return seat


def _show(seat: Seat, caller: AgentCaller, most: int) -> list[Transition]:
    rows = list(mailbox.waiting(seat.id).filter(cleared_at__isnull=False)[:most])
    wishes = [Move(row.id, Disposition.QUEUED, Disposition.DELIVERED, caller.handle) for row in rows]
    steps = move(wishes, journaled=True)
    taken = {step.delivery_id for step in steps}
    number(seat, [row for row in rows if row.id in taken])
    return steps
