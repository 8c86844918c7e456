"""Which part of a past is summed up, and when."""

from __future__ import annotations

from uuid import uuid4

from hypothesis import given
from hypothesis import strategies as st

from messaging.agents import compaction
from messaging.agents.compaction import FAN, Part, Stretch
from messaging.agents.context import cost
from tests.agents.requests import heard

BUDGET = 4096
ROWS = st.lists(st.integers(0, 900), max_size=60).map(
    lambda sizes: [heard(n, "x" * size) for n, size in enumerate(sizes, 1)]
)


@given(ROWS, st.integers(1, 60))
def test_the_input_and_what_follows_always_stay_and_nothing_is_lost(rows, since):
    old = list(compaction.older(rows, BUDGET, since=since))
    assert rows[: len(old)] == old
    assert all(line.number < since for line in old)


@given(ROWS)
def test_what_is_left_takes_a_quarter_of_the_budget_and_no_less_than_fits(rows):
    old = compaction.older(rows, BUDGET)
    left = rows[len(old) :]
    assert sum(map(cost, left)) <= BUDGET // 4
    if old:
        assert sum(map(cost, [old[-1], *left])) > BUDGET // 4


@given(ROWS)
def test_it_is_long_well_before_it_overflows(rows):
    if compaction.overflows(rows, BUDGET):
        assert compaction.is_long(rows, BUDGET)


def part(first: int, last: int, level: int = 0) -> Part:
    return Part(level, Stretch(first, last), uuid4())


def test_the_newest_hole_is_found():
    parts = [part(3, 5), part(9, 9), part(10, 12)]
    assert compaction.gap(parts, 0) == Stretch(6, 8)
    assert compaction.gap(parts[1:], 0) == Stretch(1, 8)
    assert compaction.gap(parts[1:], 8) is None
    assert compaction.gap([], 0) is None, "rows that no summary follows are no hole"


def test_as_many_neighbours_of_one_level_become_one_and_no_others():
    neighbours = [part(n, n) for n in range(1, FAN + 1)]
    assert compaction.merge(neighbours) == neighbours
    assert compaction.merge(neighbours[1:]) == []
    with_hole = [*neighbours[:2], *[part(n + 1, n + 1) for n in range(3, FAN + 1)]]
    assert compaction.merge(with_hole) == []
    high = part(1, 9, level=1)
    after = [part(n, n) for n in range(10, 10 + FAN)]
    assert compaction.merge([high, *after]) == after


@given(st.integers(1, 3000))
def test_a_past_of_any_length_stands_in_few_summaries(rows):
    """As a seat's past grows stretch by stretch, what stands for itself grows with its logarithm."""
    parts: list[Part] = []
    for n in range(1, rows + 1):
        parts.append(part(n, n))
        while run := compaction.merge(parts):
            at = parts.index(run[0])
            parts[at : at + FAN] = [part(run[0].stretch.first, run[-1].stretch.last, run[0].level + 1)]
    levels = max(one.level for one in parts) + 1
    assert len(parts) < FAN * levels
    assert FAN ** (levels - 1) <= rows
    assert compaction.gap(parts, 0) is None
