"""Rejects what waits before agents, for a right that is gone."""

from __future__ import annotations

from django.db.models import QuerySet

from messaging.actions.record import record
from messaging.domain.disposition import Disposition
from messaging.journal.clock import Held
from messaging.mailbox import clear as mailbox
from messaging.mailbox.models import Delivery, Seat
from messaging.mailbox.move import Move, move


def reject(held: Held, reason: str, *, authors: tuple[str, ...] | None = None) -> None:
    """Rejects all undelivered rows of a session, or those by these people, under its locked clock."""
    # The seats are locked first, so that no agent claims meanwhile.
    mailbox.lock(Seat.objects.filter(session=held.session).values_list("id", flat=True))
    rows = _waiting(held)
    if authors is not None:
        rows = rows.filter(author__in=authors, author_kind="human")
    wishes = [Move(one.id, Disposition.QUEUED, Disposition.REJECTED, "house", reason) for one in rows]
    record(held, move(wishes, journaled=True))


def _waiting(held: Held) -> QuerySet[Delivery]:
    return Delivery.objects.filter(seat__session=held.session, state=Disposition.QUEUED)
