"""A connected agent takes its mail: what it is shown is delivered, under the seat's own next numbers."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils import timezone

from messaging.domain.disposition import Disposition
from messaging.journal import clock as clocks
from messaging.journal.models import Kind
from messaging.mailbox import clear as mailbox
from messaging.mailbox.models import Delivery, Seat, SeatKind
from messaging.mailbox.move import Move, move
from messaging.roster.access import AgentCaller, Hidden
from messaging.roster.models import Agent, Session


def take(caller: AgentCaller, session: Session, limit: int = 50) -> Seat:
    """Shows the seat's oldest waiting mail to its agent, and answers with the seat. Raises Hidden without a seat.

    For a hosted agent nothing is taken here: its turns do that.
    """
    Agent.objects.filter(id=caller.id).update(seen_at=timezone.now())
    with transaction.atomic():
        held = clocks.lock([session.id])[session.id]
        ids = Seat.objects.filter(session=session.id, agent=caller.id, open=True).values_list("id", flat=True)
        seat = next(iter(mailbox.lock(ids).values()), None)
        if seat is None:
            raise Hidden
        if seat.kind == SeatKind.CONNECTED:
            steps = _show(seat, caller, limit)
            clocks.append(held, [(Kind.DISPOSITION, step) for step in steps])
    return seat


def _show(seat: Seat, caller: AgentCaller, limit: int) -> list[UUID]:
    rows = list(mailbox.waiting(seat.id).filter(cleared_at__isnull=False)[:limit])
    wishes = [Move(row.id, Disposition.QUEUED, Disposition.DELIVERED, caller.handle) for row in rows]
    steps = move(wishes, journaled=True)
    taken = {step.delivery_id for step in steps}
    shown = [row for row in rows if row.id in taken]
    for row in shown:
        seat.shown += 1
        row.number = seat.shown
    Delivery.objects.bulk_update(shown, ["number"])
    seat.save(update_fields=["shown"])
    return [step.id for step in steps]
