"""When a seat's past is summed up, and which part of it: pure rules over a request's lines and the summaries there are.

Level 0 is made of rows. `FAN` neighbours of one level become one of the next, so that a past of any length stands in a
few summaries, and where one row is taken back only those few that hold it are made anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from uuid import UUID

from messaging.agents.context import Line, cost

#: Neighbours of one level that become one of the next.
FAN = 6
#: What one summary may take of a request's budget, and the bytes that are always its own.
_SHARE, _LEAST = 64, 512
#: Parts of the budget: rows that take more than the first are summed up until they take no more than the second.
_HIGH, _LOW = 2, 4


@dataclass(frozen=True, slots=True)
class Stretch:
    """Numbers of a seat, both included."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Part:
    """A summary that stands for itself: its level and its stretch."""

    level: int
    stretch: Stretch
    id: UUID


def most(budget: int) -> int:
    """The bytes of one summary in requests of that budget."""
    return max(_LEAST, budget // _SHARE)


def overflows(lines: Iterable[Line], budget: int) -> bool:
    """Whether lines would have to be left out of a request."""
    return sum(map(cost, lines)) > budget


def is_long(rows: Iterable[Line], budget: int) -> bool:
    """Whether it is time to sum up the older of these rows, while nobody waits."""
    return sum(map(cost, rows)) > budget // _HIGH


def older(rows: Sequence[Line], budget: int, since: int | None = None) -> Sequence[Line]:
    """The oldest of these rows, so many that those left take a quarter of the budget.

    since: the number of the input, where a turn runs: that and what follows always stay.
    """
    eligible = [line for line in rows if since is None or line.number < since]
    left = budget // _LOW - sum(map(cost, rows[len(eligible) :]))
    kept = 0
    for line in reversed(eligible):
        left -= cost(line)
        if left < 0:
            break
        kept += 1
    return eligible[: len(eligible) - kept]


def gap(parts: Sequence[Part], after: int) -> Stretch | None:
    """The newest stretch past number `after` and before the last summary that none stands for."""
    edges = [Stretch(after, after), *(part.stretch for part in parts)]
    holes = [Stretch(one.last + 1, two.first - 1) for one, two in pairwise(edges) if one.last + 1 < two.first]
    return holes[-1] if holes else None


def merge(parts: Sequence[Part]) -> Sequence[Part]:
    """The first `FAN` neighbours of one level, without a hole between them; none where there are not as many."""
    run: list[Part] = []
    for part in parts:
        follows = bool(run) and part.level == run[-1].level and part.stretch.first == run[-1].stretch.last + 1
        run = [*run, part] if follows else [part]
        if len(run) == FAN:
            return run
    return []
