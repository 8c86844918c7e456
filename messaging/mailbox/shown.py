"""What a seat was shown and has said: the only source of any model's context."""

from __future__ import annotations

from uuid import UUID

from messaging.domain.disposition import SHOWN
from messaging.mailbox.models import Delivery, Utterance

#: The newest rows of each kind that a request is built from.
NEWEST = 400


def heard(seat: UUID) -> list[Delivery]:
    """The newest rows that were shown to the seat and not taken back since, in the seat's own order."""
    rows = Delivery.objects.filter(seat=seat, state__in=SHOWN, withheld_at=None, number__isnull=False)
    return list(reversed(rows.order_by("-number")[:NEWEST]))


def said(seat: UUID) -> list[Utterance]:
    """The seat's newest answers, in its own order."""
    rows = Utterance.objects.filter(seat=seat, kind=Utterance.Kind.ANSWER, number__isnull=False)
    return list(reversed(rows.order_by("-number")[:NEWEST]))
