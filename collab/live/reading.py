"""What a room of the hub reads in one go: frames, and who of its viewers may still see them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from messaging.journal.models import Clock
from messaging.roster import access
from messaging.roster.models import Installation
from messaging.transcript import changes
from messaging.transcript.view import Frame

Epoch = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Batch:
    """Frames after a number, and `allowed`: the people who still may see them, or None where no right has changed."""

    frames: list[Frame]
    epoch: Epoch
    allowed: set[UUID] | None

    @property
    def full(self) -> bool:
        """Whether there may be more."""
        return len(self.frames) == changes.LIMIT


def epoch(session: UUID) -> Epoch:
    """The two numbers that rise when rights, tokens or accounts change."""
    own = Clock.objects.filter(session=session).values_list("epoch", flat=True).first() or 0
    return own, house_epoch()


def house_epoch() -> int:
    """The installation's own number, for tokens and accounts."""
    return Installation.objects.values_list("epoch", flat=True).first() or 0


def batch(session: UUID, after: int, known: Epoch | None, people: Collection[UUID]) -> Batch:
    """One read for all sockets of a room; memberships are read again only when an epoch has moved."""
    now = epoch(session)
    allowed = access.still_in(session, people) if now != known else None
    return Batch(changes.of_session(session, after), now, allowed)
