"""Bounds on what somebody may use in a window: counted under rows' locks, all or nothing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.utils import timezone

from messaging.roster.models import Spend
from messaging.sql import find, store

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
    def open(cls, people: Iterable[UUID]) -> Purse:
        """Locks the people's rows in order of their ids, making them where they are missing."""
        who = sorted(set(people))
        rows = _locked(who)
        missing = [one for one in who if one not in rows]
        if missing:
            fresh = [Spend(who=one, what=AGENT_INPUT, window=timezone.now()) for one in missing]
            Spend.objects.bulk_create(fresh, ignore_conflicts=True)
            rows |= _locked(missing)
        return cls(rows)

    def charge(self, person: UUID, now: datetime) -> None:
        """Charges one agent input of those that a minute takes, which begins with its first. Raises SpentUp."""
        row = self.rows[person]
        if now - row.window >= _MINUTE:
            row.window, row.used = now, 0
        if row.used >= settings.LIMITS.agent_inputs_per_minute:
            raise SpentUp(int((row.window + _MINUTE - now).total_seconds()) + 1)
        row.used += 1
        self.charged.add(person)

    def close(self) -> None:
        """Writes what was charged."""
        spent = [self.rows[one] for one in sorted(self.charged)]
        store.update(Spend, ("window", "used"), {row.id: (row.window, row.used) for row in spent})


def _locked(people: Sequence[UUID]) -> dict[UUID, Spend]:
    fields = ("id", "who", "window", "used")
    rows = find.rows(find.lock(Spend, ("who", "what"), [(one, AGENT_INPUT) for one in people], fields))
    return {row.who: row for row in (Spend(**dict(zip(fields, one, strict=True))) for one in rows)}
