"""Rejects what waits before agents, for a right that is gone."""

from __future__ import annotations

from django.db.models import Q

from messaging.actions.record import record
from messaging.domain.disposition import Disposition
from messaging.journal.clock import Held
from messaging.mailbox import clear as mailbox
from messaging.mailbox.models import Delivery, Seat
from messaging.mailbox.move import Move, move

ALL = Q()


def said_by(kind: str, *handles: str) -> Q:
    """Rows of what these people (`human`) or agents (`agent`) have said."""
    return Q(author__in=handles, author_kind=kind)


def reject(held: Held, reason: str, rows: Q = ALL) -> None:
    """Rejects those of a session's undelivered rows, or all of them, under its locked clock."""
    # The seats are locked first, so that no agent claims meanwhile.
    mailbox.lock(Seat.objects.filter(session=held.session).values_list("id", flat=True))
    waiting = Delivery.objects.filter(rows, seat__session=held.session, state=Disposition.QUEUED)
    wishes = [Move(one.id, Disposition.QUEUED, Disposition.REJECTED, "house", reason) for one in waiting]
    record(held, move(wishes, journaled=True))
