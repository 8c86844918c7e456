"""Takes back what an agent was shown or said: the record stays, and nothing that it is given later holds it."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from messaging.mailbox.models import Delivery, Utterance


def withhold(message: UUID, but: Collection[UUID] = ()) -> None:
    """Marks what was shown of a message, to all seats `but` these. Call it with the seats locked."""
    rows = Delivery.objects.filter(message=message, delivered_at__isnull=False, withheld_at=None)
    rows.exclude(seat__in=but).update(withheld_at=timezone.now())


def withhold_said(message: UUID, turn: UUID | None) -> None:
    """Marks what became of a message where its own author keeps it; of an answer, all that its turn said."""
    own = Q(message=message) | Q(turn=turn) if turn is not None else Q(message=message)
    Utterance.objects.filter(own, withheld_at=None).update(withheld_at=timezone.now())
