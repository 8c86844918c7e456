"""Bounds on what somebody may use in a window: counted under rows' locks, all or nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from messaging.mailbox.bounds import limits
from messaging.roster.models import Spend
from messaging.sql import find, store
from messaging.sql.column import Row
from messaging.sql.find import Query

AGENT_INPUT = "agent_input"
_MINUTE = timedelta(minutes=1)


class SpentUp(Exception):
    """The window's bound is reached; `retry_after` is in whole seconds."""

    def __init__(self, retry_after: int) -> None:
        super().__init__("too many")
        self.retry_after = retry_after


@dataclass(slots=True)
class Purse:
    """The locked rows of those who may spend in this transaction."""

    rows: dict[UUID, Spend] = field(default_factory=dict)
    charged: set[UUID] = field(default_factory=set)

    @classmethod
    def holding(cls, people: Collection[UUID], rows: Iterable[Row]) -> Purse:
        """The rows that `locking` answered with; those that somebody took away since are made again."""
        found = _spends(rows)
        missing = [one for one in sorted(people) if one not in found]
        if missing:
            _make(missing)
            found |= _spends(find.rows(locking(missing)))
        return cls(found)

    def charge(self, person: UUID, now: datetime) -> None:
        """Charges one agent input of those that a minute takes, which begins with its first. Raises SpentUp."""
        row = self.rows[person]
        if now - row.window >= _MINUTE:
            row.window, row.used = now, 0
        if row.used >= limits().agent_inputs_per_minute:
            raise SpentUp(int((row.window + _MINUTE - now).total_seconds()) + 1)
        row.used += 1
        self.charged.add(person)

    def close(self) -> None:
        """Writes what was charged."""
        spent = [self.rows[one] for one in sorted(self.charged)]
        store.update(Spend, ("window", "used"), {row.id: (row.window, row.used) for row in spent})


#: People who have their row, as far as this process knows.
_have: set[UUID] = set()


def open_for(people: Collection[UUID]) -> None:
    """Makes the rows of those who have none yet. Call it before any clock is locked: spending comes first."""
    missing = [one for one in sorted(people) if one not in _have]
    if missing:
        _make(missing)
        transaction.on_commit(lambda: _have.update(missing), robust=True)


def forget() -> None:
    """Forgets who has a row; for tests that take them away."""
    _have.clear()


def _make(people: Iterable[UUID]) -> None:
    now = timezone.now()
    Spend.objects.bulk_create([Spend(who=one, what=AGENT_INPUT, window=now) for one in people], ignore_conflicts=True)


_FIELDS = ("id", "who", "window", "used")


def locking(people: Collection[UUID]) -> Query:
    """The question by which the people's rows are locked, in order of their ids."""
    return find.lock(Spend, ("who", "what"), [(one, AGENT_INPUT) for one in sorted(people)], _FIELDS)


def _spends(rows: Iterable[Row]) -> dict[UUID, Spend]:
    return {row.who: row for row in (Spend(**dict(zip(_FIELDS, one, strict=True))) for one in rows)}
