"""Locks clocks and counts them up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

from django.utils import timezone

from messaging.journal import poke
from messaging.journal.models import Clock, Entry, Kind
from messaging.journal.poke import Poke
from messaging.sql import find, store
from messaging.sql.column import Row
from messaging.sql.find import Query

#: What an entry is about.
Item: TypeAlias = tuple[Kind, UUID]
_ENTRY = ("session", "seq", "kind", "ref", "at")


@dataclass(slots=True)
class Held:
    """A clock whose row this transaction has locked, or made."""

    session: UUID
    seq: int = 0
    epoch: int = 0


def start(session: UUID) -> Held:
    """A new session's clock, at nought."""
    Clock.objects.create(session=session)
    return Held(session)


def lock(sessions: Iterable[UUID]) -> dict[UUID, Held]:
    """The sessions' clocks, locked in order of their ids until the transaction ends."""
    return held(find.rows(locking(sessions)))


def locking(sessions: Iterable[UUID]) -> Query:
    """The question by which clocks are locked, for who asks others along with it."""
    return find.lock(Clock, ("session",), [(one,) for one in sessions], ("session", "seq", "epoch"))


def held(rows: Iterable[Row]) -> dict[UUID, Held]:
    """The clocks that it answers with."""
    return {row[0]: Held(*row) for row in rows}


def seq_of(session: UUID) -> int:
    """The number that the session's clock stands at, as others have committed it."""
    return Clock.objects.values_list("seq", flat=True).get(session=session)


def append(clock: Held, items: Sequence[Item]) -> list[int]:
    """Gives each item the session's next number, and pokes once the transaction commits; the numbers, in order.

    The clock must be locked by this transaction. Raises IntegrityError where an item already has an entry.
    """
    return append_all([(clock, items)])[0]


def append_all(batch: Sequence[tuple[Held, Sequence[Item]]]) -> list[list[int]]:
    """The same for several sessions: one statement for the entries, one for the clocks, one round of pokes."""
    now = timezone.now()
    numbers = [list(range(clock.seq + 1, clock.seq + 1 + len(items))) for clock, items in batch]
    store.insert(
        Entry,
        _ENTRY,
        [
            (clock.session, seq, kind, ref, now)
            for (clock, items), seqs in zip(batch, numbers, strict=True)
            for seq, (kind, ref) in zip(seqs, items, strict=True)
        ],
    )
    moved = [clock for clock, items in batch if items]
    for clock, items in batch:
        clock.seq += len(items)
    store.update(Clock, ("seq",), {clock.session: (clock.seq,) for clock in moved})
    poke.after_commit([Poke(clock.session, clock.seq) for clock in moved])
    return numbers
