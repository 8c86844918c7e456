"""What a room of the hub reads in one go: frames, and who of its viewers may still see them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from messaging.journal.position import positions
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
    _, own = positions([session]).get(session, (0, 0))
    return own, Installation.epoch_now()


def all_positions(sessions: Collection[UUID]) -> dict[UUID, tuple[int, Epoch]]:
    """How far each session has come, and its epoch: two queries, whatever their number."""
    house = Installation.epoch_now() if sessions else 0
    return {session: (seq, (own, house)) for session, (seq, own) in positions(sessions).items()}


def batch(session: UUID, after: int, known: Epoch | None, people: Collection[UUID]) -> Batch:
    """One read for all sockets of a room; memberships are read again only when an epoch has moved."""
    now = epoch(session)
    allowed = access.still_in(session, people) if now != known else None
    return Batch(changes.of_session(session, after), now, allowed)
