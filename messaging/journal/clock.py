"""Locks clocks and counts them up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from django.db.models import F
from django.utils import timezone

from messaging.journal import poke
from messaging.journal.models import Clock, Entry, Kind


def start(session: UUID) -> Clock:
    """A new session's clock, at nought."""
    return Clock.objects.create(session=session)


def lock(sessions: Iterable[UUID]) -> dict[UUID, Clock]:
    """The sessions' clocks, locked in order of their ids until the transaction ends."""
    rows = Clock.objects.select_for_update(no_key=True).filter(session__in=list(sessions)).order_by("session")
    return {clock.session: clock for clock in rows}


def seq_of(session: UUID) -> int:
    """The number that the session's clock stands at, as others have committed it."""
    return Clock.objects.values_list("seq", flat=True).get(session=session)


def append(clock: Clock, items: Sequence[tuple[Kind, UUID]]) -> list[Entry]:
    """Gives each item the session's next number, and pokes once the transaction commits.

    The clock must be locked by this transaction. Raises IntegrityError where an item already has an entry.
    """
    if not items:
        return []
    now = timezone.now()
    entries = [
        Entry(session=clock.session, seq=clock.seq + n, kind=kind, ref=ref, at=now)
        for n, (kind, ref) in enumerate(items, 1)
    ]
    Entry.objects.bulk_create(entries)
    clock.seq += len(entries)
    clock.save(update_fields=["seq"])
    poke.after_commit(clock.session, clock.seq)
    return entries


def bump(session: UUID) -> None:
    """Says that rights in this session have changed. Call it in the transaction that changes them."""
    Clock.objects.filter(session=session).update(epoch=F("epoch") + 1)
