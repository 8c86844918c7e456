"""What this process has just written, kept for its own open pages: they need not read again what was made here.

Order still comes from the numbers alone: a reader takes a stretch only where it begins right after what it has, and
reads the table for everything else. Nothing is kept of a session that nobody here follows.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from uuid import UUID

from messaging.roster.known import Epochs
from messaging.transcript.view import Frame

#: Stretches kept of a session; whoever is further behind reads the table.
MOST = 64


@dataclass(frozen=True, slots=True)
class Stretch:
    """All entries of a session after number `after`, as one commit wrote them, and its epochs as they stood then."""

    session: UUID
    after: int
    frames: list[Frame]
    epochs: Epochs


_followed: dict[UUID, deque[Stretch]] = {}


def follow(session: UUID) -> None:
    """Keeps what is written in a session from now on."""
    _followed.setdefault(session, deque(maxlen=MOST))


def unfollow(session: UUID) -> None:
    """Keeps nothing of it any more."""
    _followed.pop(session, None)


def is_followed(session: UUID) -> bool:
    """Whether anybody here would read it."""
    return session in _followed


def keep(stretches: list[Stretch]) -> None:
    """Keeps what has been committed."""
    for stretch in stretches:
        kept = _followed.get(stretch.session)
        if kept is not None:
            kept.append(stretch)


def after(session: UUID, seq: int) -> list[Stretch]:
    """What follows number `seq` without a gap, as far as it is kept; older stretches are dropped."""
    found: list[Stretch] = []
    kept = _followed.get(session, deque())
    while kept:
        if kept[0].after > seq:
            break
        stretch = kept.popleft()
        if stretch.after == seq:
            found.append(stretch)
            seq = stretch.frames[-1].seq
    return found
