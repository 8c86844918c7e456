"""What a room of the hub reads in one go: frames, and who of its viewers may still see them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from uuid import UUID

from collab.live import credential
from collab.live.credential import Credential
from messaging.journal.position import positions
from messaging.roster import access
from messaging.roster.known import Epochs
from messaging.roster.models import Installation
from messaging.transcript import changes
from messaging.transcript.view import Frame

#: Somebody who looks, and by what right: a login and a token of one person end apart.
Viewing = tuple[UUID, Credential]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a room wants to know: what follows `after`, and of its viewers, should an epoch differ from `known`."""

    after: int
    known: Epochs | None
    viewing: Collection[Viewing]


@dataclass(frozen=True, slots=True)
class Batch:
    """Frames after a number, whether there may be `more`, and who is `allowed` still: None where no right has moved."""

    frames: list[Frame]
    more: bool
    epoch: Epochs
    allowed: set[Viewing] | None


def all_positions(sessions: Collection[UUID]) -> dict[UUID, tuple[int, Epochs]]:
    """How far each session has come, and its epoch: two queries, whatever their number."""
    house = Installation.epoch_now() if sessions else 0
    return {session: (seq, (own, house)) for session, (seq, own) in positions(sessions).items()}


def seq_of(session: UUID) -> int:
    """The session's last number."""
    seq, _ = positions([session]).get(session, (0, 0))
    return seq


def batches(wanted: Mapping[UUID, Wanted]) -> dict[UUID, Batch]:
    """One read for all sockets of all these rooms; rights are read again only where an epoch has moved.

    The epochs are read after the frames: whoever lost a right before one of them was said is found out.
    """
    found = changes.of_sessions({session: one.after for session, one in wanted.items()})
    now = all_positions(wanted)
    answers = {}
    for session, one in wanted.items():
        frames, more = found[session]
        _, epoch = now.get(session, (0, (0, 0)))
        answers[session] = Batch(frames, more, epoch, _allowed(session, one.viewing) if epoch != one.known else None)
    return answers


def _allowed(session: UUID, viewing: Collection[Viewing]) -> set[Viewing]:
    people = access.still_in(session, {person for person, _ in viewing})
    good = credential.still_good({held for _, held in viewing})
    return {(person, held) for person, held in viewing if person in people and held in good}
