"""What a room of the hub reads in one go: frames, and who of its viewers may still see them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from collab.live import credential
from collab.live.credential import Credential
from messaging.journal.position import positions
from messaging.roster import access
from messaging.roster.models import Installation
from messaging.transcript import changes
from messaging.transcript.view import Frame

Epoch = tuple[int, int]
#: Somebody who looks, and by what right: a login and a token of one person end apart.
Viewing = tuple[UUID, Credential]


@dataclass(frozen=True, slots=True)
class Batch:
    """Frames after a number, and `allowed`: who still may see them, or None where no right has changed."""

    frames: list[Frame]
    epoch: Epoch
    allowed: set[Viewing] | None

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


def seq_of(session: UUID) -> int:
    """The session's last number."""
    seq, _ = positions([session]).get(session, (0, 0))
    return seq


def batch(session: UUID, after: int, known: Epoch | None, viewing: Collection[Viewing]) -> Batch:
    """One read for all sockets of a room; rights are read again only when an epoch has moved.

    The epoch is read after the frames: whoever lost a right before one of them was said is found out.
    """
    frames = changes.of_session(session, after)
    now = epoch(session)
    return Batch(frames, now, _allowed(session, viewing) if now != known else None)


def _allowed(session: UUID, viewing: Collection[Viewing]) -> set[Viewing]:
    people = access.still_in(session, {person for person, _ in viewing})
    good = credential.still_good({held for _, held in viewing})
    return {(person, held) for person, held in viewing if person in people and held in good}
