"""The house clears, the agent claims: which of a seat's waiting rows may be handed over next."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone

from messaging.domain.disposition import Disposition
from messaging.domain.turn import TurnState
from messaging.mailbox.models import Delivery, Purpose, Seat, Turn


def busy(seat: UUID) -> bool:
    """Whether something stands between the seat and its next input: a running turn, or input already cleared."""
    return _runs(seat) or _inputs(seat).filter(cleared_at__isnull=False).exists()


def free(seat: UUID) -> bool:
    """Whether an input put now is the next: no turn runs, and none waits before it, cleared or not."""
    return not _runs(seat) and not _inputs(seat).exists()


def _runs(seat: UUID) -> bool:
    return Turn.objects.filter(seat=seat, state=TurnState.RUNNING).exists()


def _inputs(seat: UUID) -> QuerySet[Delivery]:
    return waiting(seat).filter(purpose=Purpose.INPUT)


def waiting(seat: UUID) -> QuerySet[Delivery]:
    """The seat's rows not yet shown, in order."""
    return Delivery.objects.filter(seat=seat, state=Disposition.QUEUED).order_by("place")


def next_input(seat: UUID) -> Delivery | None:
    """The oldest input that waits to be cleared, if nothing stands before it."""
    if busy(seat):
        return None
    return _inputs(seat).filter(cleared_at=None).first()


def clear(ids: Iterable[UUID]) -> None:
    """Marks rows as cleared. The house has checked rights, membership, availability and budget."""
    Delivery.objects.filter(id__in=list(ids), cleared_at=None).update(cleared_at=timezone.now())


def context_before(delivery: Delivery) -> list[Delivery]:
    """The context that goes along with an input: uncleared rows placed before it."""
    rows = waiting(delivery.seat_id).filter(purpose=Purpose.CONTEXT, cleared_at=None, place__lt=delivery.place)
    return list(rows)


def lock(seats: Iterable[UUID]) -> dict[UUID, Seat]:
    """The seats' rows, locked in order of their ids."""
    return {
        seat.id: seat for seat in Seat.objects.select_for_update(no_key=True).filter(id__in=list(seats)).order_by("id")
    }
