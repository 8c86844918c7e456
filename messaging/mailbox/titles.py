"""Titles that agents propose for their sessions, of what they were told and said there."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from messaging.mailbox import summaries, wake
from messaging.mailbox.lease import lock_seat
from messaging.mailbox.models import Seat, Utterance


def is_wanted(seat: Seat) -> bool:
    """Whether the seat is to propose one, and has not done so."""
    own = Utterance.objects.filter(seat=seat, kind=Utterance.Kind.TITLE, withheld_at=None)
    return seat.titles and seat.open and not own.exists()


def propose(seat: UUID, text: str, first: int, last: int, made_from: Collection[UUID]) -> bool:
    """Says a title made of the seat's numbers `first` to `last`; whether it was still wanted, and nothing that it was
    made from was taken back meanwhile."""
    with transaction.atomic():
        row = lock_seat(seat)
        if not is_wanted(row) or first <= row.fresh_from or set(made_from) != summaries.rows(row, first, last):
            return False
        Utterance.objects.create(seat=row, kind=Utterance.Kind.TITLE, text=text, after=last, said_at=timezone.now())
        wake.send(wake.Collect(row.session))
    return True


def lose(seat: UUID, number: int) -> None:
    """Withholds a title that was made of this number, and asks for another one. Call it with the seat locked."""
    titles = Utterance.objects.filter(seat=seat, kind=Utterance.Kind.TITLE, after__gte=number, withheld_at=None)
    if titles.update(withheld_at=timezone.now()):
        Seat.objects.filter(id=seat).update(titles=True)
