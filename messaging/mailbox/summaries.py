"""Summaries of what a seat was shown and said: which of them stand in its requests, and how one is written or lost.

They cover stretches of the seat's own numbers. What is made of several names them as its parts, so that those that
stand for themselves (`into` is empty) never overlap.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from messaging.mailbox.lease import lock_seat
from messaging.mailbox.models import Delivery, Seat, Summary, Utterance


class Outdated(Exception):
    """Something that it was made from was taken back meanwhile, or another one stands in its place already."""


def told(seat: Seat) -> list[Summary]:
    """Those that stand for themselves, in order. Of an agent that was started afresh, those made since."""
    return list(_told(seat.id).filter(first__gt=seat.fresh_from).order_by("first"))


def write(seat: UUID, level: int, first: int, last: int, text: str, made_from: Collection[UUID]) -> Summary:
    """Keeps what was made of a stretch, in one transaction.

    made_from: the rows of level 0, or the summaries of the level below, that went into it; they must still be all that
    may be told of the stretch. Raises Outdated; then nothing is written.
    """
    with transaction.atomic():
        # The house takes this lock to take something back: it is found here, or it finds the summary.
        row = lock_seat(seat)
        if first <= row.fresh_from or set(made_from) != _parts(row, level, first, last):
            raise Outdated
        if _told(seat).filter(level__gte=level, first__lte=last, last__gte=first).exists():
            raise Outdated
        made = Summary.objects.create(
            id=uuid4(), seat=row, level=level, first=first, last=last, text=text, made_at=timezone.now()
        )
        if level:
            Summary.objects.filter(id__in=made_from).update(into=made.id)
    return made


def lose(numbers: Iterable[tuple[UUID, int]]) -> None:
    """Withholds every summary that holds one of these, given as seat and number; its untouched parts stand again.

    Call it with the seats locked.
    """
    now = timezone.now()
    for seat, number in numbers:
        holding = Summary.objects.filter(seat=seat, first__lte=number, last__gte=number, withheld_at=None)
        lost = list(holding.values_list("id", flat=True))
        if lost:
            Summary.objects.filter(id__in=lost).update(withheld_at=now)
            Summary.objects.filter(into__in=lost).update(into=None)


def _told(seat: UUID) -> QuerySet[Summary]:
    return Summary.objects.filter(seat=seat, into=None, withheld_at=None)


def _parts(seat: Seat, level: int, first: int, last: int) -> set[UUID]:
    """All that may be told of the stretch, as that level is made of it."""
    if level:
        return set(_told(seat.id).filter(first__gte=first, last__lte=last).values_list("id", flat=True))
    return rows(seat, first, last)


def rows(seat: Seat, first: int, last: int) -> set[UUID]:
    """What may be told of a stretch of the seat's numbers."""
    stretch = {"number__gte": first, "number__lte": last, "withheld_at": None}
    said = Utterance.objects.filter(seat=seat, **stretch).values_list("id", flat=True)
    return {*Delivery.objects.filter(seat=seat, **stretch).values_list("id", flat=True), *said}
