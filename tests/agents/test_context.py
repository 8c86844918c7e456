"""What gets into a request, and what cannot."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messaging.agents import context
from messaging.domain.disposition import SHOWN, Disposition
from tests.agents.requests import NOON, HeardRow, SaidRow, SeatRow, heard, request, said


def build(heard_rows: list[HeardRow], said_rows: list[SaidRow] | None = None) -> context.Request:
    asked = heard_rows[-1].message if heard_rows else uuid4()
    return context.build(SeatRow(), heard_rows, said_rows or [], asked, 1)


def test_lines_stand_in_the_seats_own_order():
    got = build([HeardRow("b", 2), HeardRow("a", 1), HeardRow("d", 4)], [SaidRow("c", 3)])
    assert [(line.number, line.text) for line in got.lines] == [(1, "a"), (2, "b"), (3, "c"), (4, "d")]


@pytest.mark.parametrize(
    "fields",
    [
        {"withheld_at": NOON},
        {"seat_id": uuid4()},
        {"number": None},
        *({"state": state} for state in Disposition if state not in SHOWN),
    ],
)
def test_what_the_seat_may_not_know_stays_out_whatever_the_query_brought(fields: dict[str, Any]):
    got = build([HeardRow("CANARY", **({"number": 1} | fields)), HeardRow("control", 2)])
    assert [line.text for line in got.lines] == ["control"]


@pytest.mark.parametrize("state", SHOWN)
def test_what_was_shown_comes_in(state):
    assert [line.text for line in build([HeardRow("control", state=state)]).lines] == ["control"]


@pytest.mark.parametrize("fields", [{"seat_id": uuid4()}, {"number": None}])
def test_nobody_elses_answers(fields: dict[str, Any]):
    got = build([HeardRow("ask")], [SaidRow("CANARY", **fields), SaidRow("mine", 3)])
    assert [line.text for line in got.lines] == ["ask", "mine"]


def test_an_answer_goes_by_the_message_it_became():
    message = uuid4()
    posted, fresh = SaidRow("posted", 2, message=message), SaidRow("fresh", 3)
    got = build([HeardRow("ask")], [posted, fresh])
    assert [line.id for line in got.lines[1:]] == [message, fresh.id]


@pytest.mark.parametrize("odd", [None, "text", 5, [1]])
def test_odd_settings_and_addressees_do_no_harm(odd):
    got = context.build(SeatRow(settings=odd), [HeardRow("ask", to=odd)], [], uuid4(), 1)
    assert dict(got.settings) == {}
    assert isinstance(got.lines[0], context.Heard)


def test_the_newest_lines_that_fit_and_the_input_always():
    lines = [heard(n, f"line {n}") for n in range(1, 11)]
    kept, left_out = context.fit(request(*lines), lambda _: 10, 35)
    assert [line.number for line in kept] == [8, 9, 10]
    assert left_out == 7
    kept, left_out = context.fit(request(*lines, asked=lines[0].id), lambda _: 10, 25)
    assert [line.number for line in kept] == [1, 10]
    kept, _ = context.fit(request(*lines), lambda _: 100, 1)
    assert [line.number for line in kept] == [10]


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.integers(0, 400), st.data())
def test_fitting_keeps_order_bound_and_count(kinds, budget, data):
    lines = [heard(n, "x" * n) if own else said(n, "y" * n) for n, own in enumerate(kinds, 1)]
    asked = data.draw(st.sampled_from(lines))
    kept, left_out = context.fit(request(*lines, asked=asked.id), lambda line: len(line.text), budget)
    assert [line.number for line in kept] == sorted(line.number for line in kept)
    assert asked in kept
    assert len(kept) + left_out == len(lines)
    assert sum(len(line.text) for line in kept if line is not asked) + len(asked.text) <= max(budget, len(asked.text))
