"""What agents may use up in a day (decisions, "Dispatch"): turns and tokens, counted for the owner of the agent.

An agent that belongs to nobody pays for itself. What agents without a bound use up is not counted. Rows are locked
after spending, clocks and seats, in order of their ids.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models.functions import Coalesce
from django.utils import timezone

from messaging.domain import budget as rules
from messaging.journal import metrics
from messaging.roster.models import Agent, Spend
from messaging.sql import store

log = logging.getLogger(__name__)
TURNS, TOKENS = "agent_turns", "agent_tokens"

#: What a row's column holds.
_MOST = 2**31 - 1
#: Who pays, and for what.
Key = tuple[UUID, str]


@dataclass(frozen=True, slots=True)
class Budget:
    """What an agent may use up in a day, None for as much as comes. `payer` is its owner, called `name`, or itself."""

    payer: UUID
    name: str
    turns: int | None
    tokens: int | None

    @property
    def bounds(self) -> dict[str, int]:
        """The bounds that there are, by what they bound."""
        both = {TURNS: self.turns, TOKENS: self.tokens}
        return {what: bound for what, bound in both.items() if bound is not None}

    @property
    def keys(self) -> list[Key]:
        """The rows that it is counted in."""
        return [(self.payer, what) for what in self.bounds]


def of(agents: Collection[UUID]) -> dict[UUID, Budget]:
    """The budgets of those of these agents that have one."""
    rows = Agent.objects.filter(id__in=agents).exclude(turns_a_day=None, tokens_a_day=None)
    payers, names = Coalesce("owner", "id"), Coalesce("owner__name", "name")
    found = rows.values_list("id", payers, names, "turns_a_day", "tokens_a_day")
    return {key: Budget(payer, name, turns, tokens) for key, payer, name, turns, tokens in found}


def begins(now: datetime) -> datetime:
    """When the day of the configured zone began."""
    return timezone.localtime(now, timezone.get_default_timezone()).replace(hour=0, minute=0, second=0, microsecond=0)


def renews(now: datetime) -> datetime:
    """When the next one begins; a day of that zone may have 23 hours or 25."""
    return begins(begins(now) + timedelta(hours=30))


def spent_up(budget: Budget, now: datetime) -> str:
    """What somebody is told whose question it does not pay for."""
    return rules.spent_up(budget.name, renews(now))


@dataclass(slots=True)
class Books:
    """The locked rows in which the budgets of some agents are counted; `budgets` by agent."""

    budgets: Mapping[UUID, Budget] = field(default_factory=dict)
    rows: dict[Key, Spend] = field(default_factory=dict)
    charged: set[Key] = field(default_factory=set)

    @classmethod
    def holding(cls, budgets: Mapping[UUID, Budget]) -> Books:
        """Locks the rows of these, and makes those that are missing. Call it in a transaction."""
        return cls(budgets, _lock({key for one in budgets.values() for key in one.keys}))

    def over(self, agent: UUID, now: datetime) -> Budget | None:
        """The agent's budget, where it is used up."""
        budget = self.budgets.get(agent)
        if budget is None:
            return None
        full = any(self._used(budget.payer, what, now) >= bound for what, bound in budget.bounds.items())
        return budget if full else None

    def charge(self, agent: UUID, now: datetime, *, turns: int = 0, tokens: int = 0) -> None:
        """Counts what an agent uses up, where it has a bound for it, even beyond that."""
        budget = self.budgets.get(agent)
        bounds = budget.bounds if budget else {}
        for what, count in ((TURNS, turns), (TOKENS, tokens)):
            if budget is not None and what in bounds and count:
                self._charge((budget.payer, what), bounds[what], count, now)

    def close(self) -> None:
        """Writes what was charged."""
        spent = [self.rows[one] for one in sorted(self.charged)]
        store.update(Spend, ("window", "used"), {row.id: (row.window, row.used) for row in spent})
        self.charged.clear()

    def _charge(self, key: Key, bound: int, count: int, now: datetime) -> None:
        row, before = self.rows[key], self._used(*key, now)
        row.window, row.used = begins(now), min(before + count, _MOST)
        self.charged.add(key)
        if rules.is_near(row.used, bound) and not rules.is_near(before, bound):
            transaction.on_commit(lambda: _warn(key[0], key[1]), robust=True)

    def _used(self, payer: UUID, what: str, now: datetime) -> int:
        row = self.rows[payer, what]
        return row.used if row.window >= begins(now) else 0


def _warn(payer: UUID, what: str) -> None:
    log.warning("four fifths of the %s that %s may use up today are used up", what.removeprefix("agent_"), payer)
    metrics.budgets_near.labels(what.removeprefix("agent_")).inc()


def _lock(keys: Collection[Key]) -> dict[Key, Spend]:
    if not keys:
        return {}
    found = _rows(keys, lock=True)
    missing = keys - found.keys()
    if missing:
        now = timezone.now()
        made = [Spend(who=who, what=what, window=now) for who, what in sorted(missing)]
        Spend.objects.bulk_create(made, ignore_conflicts=True)
        found = _rows(keys, lock=True)
    return found


def _rows(keys: Iterable[Key], *, lock: bool = False) -> dict[Key, Spend]:
    rows = Spend.objects.filter(who__in={who for who, _ in keys}, what__in=(TURNS, TOKENS)).order_by("id")
    rows = rows.select_for_update(no_key=True) if lock else rows
    return {(row.who, row.what): row for row in rows}


@dataclass(frozen=True, slots=True)
class Standing:
    """How far a budget is used up today: `used` of `bound` turns or tokens of `name`'s."""

    payer: UUID
    name: str
    what: str
    used: int
    bound: int

    @property
    def near(self) -> bool:
        """Whether four fifths are used up."""
        return rules.is_near(self.used, self.bound)

    @property
    def over(self) -> bool:
        """Whether it is used up."""
        return self.used >= self.bound


def standing(agents: Collection[UUID]) -> dict[UUID, list[Standing]]:
    """How the budgets of these agents stand now, without locking anything."""
    budgets, now = of(agents), timezone.now()
    rows = _rows([key for one in budgets.values() for key in one.keys]) if budgets else {}
    used = {key: row.used for key, row in rows.items() if row.window >= begins(now)}
    return {
        agent: [
            Standing(one.payer, one.name, what.removeprefix("agent_"), used.get((one.payer, what), 0), bound)
            for what, bound in one.bounds.items()
        ]
        for agent, one in budgets.items()
    }
