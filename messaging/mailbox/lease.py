"""Who may write for a turn: the attempt that holds its lease, nobody else.

The attempt's own id is the lease's owner, so that a thread left over from an earlier attempt of the same
process is as powerless as one of a process long dead.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from messaging.domain.turn import TurnState
from messaging.mailbox.models import Seat, Turn

#: How long a silent worker keeps its turn. A living one renews after a third of it.
LEASE = timedelta(seconds=30)
RENEW_AFTER = LEASE / 3


class LeaseLost(Exception):
    """The attempt no longer holds its turn: the lease ran out, or the turn was taken over or stopped."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One attempt at one turn: ids alone, to be shown with every write. `resumed`: it goes on after it was parked."""

    turn: UUID
    seat: UUID
    session: UUID
    input: UUID
    attempt: UUID
    n: int
    resumed: bool = False


def held(claim: Claim) -> QuerySet[Turn]:
    """The claim's turn if the claim still holds it, else nothing."""
    return Turn.objects.filter(
        id=claim.turn, state=TurnState.RUNNING, lease_owner=claim.attempt, lease_until__gt=timezone.now()
    )


def check(claim: Claim) -> None:
    """Raises LeaseLost where the claim is not held any more. Cheap: reads one row."""
    if not held(claim).exists():
        raise LeaseLost


def renew(claim: Claim) -> None:
    """Holds the turn for another lease from now. Raises LeaseLost."""
    if not held(claim).update(lease_until=timezone.now() + LEASE):
        raise LeaseLost


@contextmanager
def writing(claim: Claim, *, with_seat: bool = False) -> Iterator[tuple[Turn, Seat | None]]:
    """A transaction in which the claim is held for certain: its turn is locked. Raises LeaseLost.

    with_seat: locks the seat as well, and first: claiming takes them in this order, too.
    """
    with transaction.atomic():
        seat = lock_seat(claim.seat) if with_seat else None
        turn = held(claim).select_for_update(of=("self",), no_key=True).first()
        if turn is None:
            raise LeaseLost
        yield turn, seat


def lock_seat(seat: UUID) -> Seat:
    """The seat's row, locked, but not against rows that merely refer to it."""
    return Seat.objects.select_for_update(no_key=True).get(id=seat)


def expire_all() -> int:
    """Ends every lease now, for a process that knows to be the only one: its predecessors are dead."""
    running = Turn.objects.filter(state=TurnState.RUNNING, lease_owner__isnull=False)
    return running.update(lease_until=timezone.now())
