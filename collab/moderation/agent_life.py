"""What an agent did and used up, for its page: no words of anybody."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import QuerySet, Sum
from django.utils import timezone

from messaging.domain import budget as rules
from messaging.domain import reason
from messaging.mailbox.models import Turn, Usage
from messaging.roster import budget
from messaging.roster.budget import Standing
from messaging.roster.models import Agent, Installation

#: Turns that are listed.
_SHOWN = 20
_TOKENS = {"given": Sum("input_tokens", default=0), "answered": Sum("output_tokens", default=0)}


@dataclass(frozen=True, slots=True)
class Life:
    """`warnings` are sentences; `tables` as unfold's component takes them. `paused`: since when all agents are."""

    paused: datetime | None
    warnings: list[str] = field(default_factory=list)
    budgets: list[str] = field(default_factory=list)
    used: dict[str, list[Any]] = field(default_factory=dict)
    turns: dict[str, list[Any]] = field(default_factory=dict)


def life(agent: Agent) -> Life:
    """The agent's turns, tokens and cost, and how its owner's budget stands."""
    stands = budget.standing([agent.id]).get(agent.id, [])
    return Life(
        Installation.paused_since(),
        [warning(one) for one in stands if one.near],
        [f"{one.used:,} of {one.bound:,} {one.what} of {one.name} today" for one in stands],
        _used(agent),
        _turns(agent),
    )


def warnings() -> list[str]:
    """Whose budgets come to their end today, or have."""
    found = budget.standing(Agent.objects.filter(enabled=True).values_list("id", flat=True))
    return list(dict.fromkeys(warning(one) for stands in found.values() for one in stands if one.near))


def warning(one: Standing) -> str:
    """What staff is told of a budget that comes to its end."""
    now = timezone.now()
    if one.over:
        return (
            f"{budget.spent_up(budget.Budget(one.payer, one.name, None, None), now)} (bound: {one.bound:,} {one.what})"
        )
    share = one.used * 100 // one.bound
    return f"{share} % of today's {one.what} of {one.name} are used up: {one.used:,} of {one.bound:,}."


def _used(agent: Agent) -> dict[str, list[Any]]:
    now = timezone.now()
    spans = [("today", budget.begins(now)), ("in 30 days", now - timedelta(days=30))]
    headers = ["", "turns", "tokens given", "answered", "cost"]
    return {"headers": headers, "rows": [_row(agent, *span) for span in spans]}


def _row(agent: Agent, label: str, since: datetime) -> list[Any]:
    turns = Turn.objects.filter(seat__agent=agent.id, started_at__gte=since).count()
    tokens = Usage.objects.filter(seat__agent=agent.id, at__gte=since).aggregate(**_TOKENS)
    return [label, f"{turns:,}", *_tokens(agent, tokens["given"], tokens["answered"])]


def _tokens(agent: Agent, given: int, answered: int) -> list[str]:
    price_in, price_out = (agent.settings.get(name) for name in ("price_in", "price_out"))
    cost = rules.cost(given, answered, price_in, price_out)
    return [f"{given:,}", f"{answered:,}", "-" if cost is None else f"{cost:.4f}"]


def _turns(agent: Agent) -> dict[str, list[Any]]:
    rows = Turn.objects.filter(seat__agent=agent.id).order_by("-started_at", "id")
    newest: Sequence[Turn] = list(rows[:_SHOWN])
    used = _of(Usage.objects.filter(turn__in=[row.id for row in newest]))
    lines = [
        [
            f"{row.started_at:%Y-%m-%d %H:%M:%S}",
            row.state,
            reason.words(row.reason, agent.name) or "-",
            row.attempts,
            _seconds(row),
            *_tokens(agent, *used.get(row.id, (0, 0))),
        ]
        for row in newest
    ]
    headers = ["begun (UTC)", "state", "why", "attempts", "seconds", "tokens given", "answered", "cost"]
    return {"headers": headers, "rows": lines}


def _of(rows: QuerySet[Usage]) -> dict[Any, tuple[int, int]]:
    sums = rows.values("turn").annotate(**_TOKENS).values_list("turn", *_TOKENS)
    return {turn: (given, answered) for turn, given, answered in sums}


def _seconds(turn: Turn) -> str:
    return f"{(turn.ended_at - turn.started_at).total_seconds():.1f}" if turn.ended_at else "-"
