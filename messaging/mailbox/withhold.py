"""Takes back what an agent was shown or said: the record stays, and nothing that it is given later holds it."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.db.models import Q, QuerySet
from django.utils import timezone

from messaging.mailbox import summaries, titles
from messaging.mailbox.models import Delivery, Utterance


def withhold(message: UUID, but: Collection[UUID] = ()) -> None:
    """Marks what was shown of a message, to all seats `but` these. Call it with the seats locked."""
    rows = Delivery.objects.filter(message=message, delivered_at__isnull=False, withheld_at=None)
    _take_back(rows.exclude(seat__in=but))


def withhold_said(message: UUID, turn: UUID | None) -> None:
    """Marks what became of a message where its own author keeps it; of an answer, all that its turn said."""
    own = Q(message=message) | Q(turn=turn) if turn is not None else Q(message=message)
    _take_back(Utterance.objects.filter(own, withheld_at=None))


def _take_back(rows: QuerySet[Delivery] | QuerySet[Utterance]) -> None:
    """Marks the rows, and the summaries and titles that were made of them."""
    numbers = [(seat, number) for seat, number in rows.values_list("seat", "number") if number is not None]
    rows.update(withheld_at=timezone.now())
    summaries.lose(numbers)
    for seat, number in numbers:
        titles.lose(seat, number)
