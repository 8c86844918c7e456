"""What gets into a request, and what cannot."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messaging.agents import context
from messaging.domain.disposition import SHOWN, Disposition
from tests.agents.requests import NOON, TURN, HeardRow, SaidRow, SeatRow, heard, request, said, step


def build(
    heard_rows: list[HeardRow], said_rows: list[SaidRow] | None = None, *, fresh_from: int = 0
) -> context.Request:
    asked = heard_rows[-1].message if heard_rows else uuid4()
    running = context.Running(TURN, asked, 1)
    return context.build(SeatRow(fresh_from=fresh_from), heard_rows, said_rows or [], running)


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


@pytest.mark.parametrize(
    "fields", [{"seat_id": uuid4()}, {"number": None}, {"withheld_at": NOON}, {"kind": "piece"}, {"kind": "post"}]
)
def test_nobody_elses_answers_and_none_that_was_taken_back(fields: dict[str, Any]):
    got = build([HeardRow("ask")], [SaidRow("CANARY", **fields), SaidRow("mine", 3)])
    assert [line.text for line in got.lines] == ["ask", "mine"]


def test_an_answer_goes_by_the_message_it_became():
    message = uuid4()
    posted, fresh = SaidRow("posted", 2, message=message), SaidRow("fresh", 3)
    got = build([HeardRow("ask")], [posted, fresh])
    assert [line.id for line in got.lines[1:]] == [message, fresh.id]


@pytest.mark.parametrize("odd", [None, "text", 5, [1]])
def test_odd_settings_and_addressees_do_no_harm(odd):
    running = context.Running(TURN, uuid4(), 1)
    got = context.build(SeatRow(settings=odd), [HeardRow("ask", to=odd)], [], running)
    assert dict(got.settings) == {}
    assert isinstance(got.lines[0], context.Heard)


def test_steps_stand_where_they_were_said():
    got = build(
        [HeardRow("earlier", 1), HeardRow("ask", 3), HeardRow("steer", 4), HeardRow("more", 5), HeardRow("last", 6)],
        [SaidRow("answer", 2), step("second", 5, 2), step("first", 3)],
    )
    assert [line.text for line in got.lines] == [
        "earlier", "answer", "ask", "first", "steer", "more", "second", "last",
    ]  # fmt: skip
    assert [line.text for line in got.lines if isinstance(line, context.Said) and line.step] == ["first", "second"]
    assert got.step == 3


@pytest.mark.parametrize(
    "fields", [{"turn_id": uuid4()}, {"turn_id": None}, {"attempt": 2}, {"seat_id": uuid4()}, {"withheld_at": NOON}]
)
def test_steps_of_another_turn_or_attempt_stay_out(fields: dict[str, Any]):
    got = build([HeardRow("ask")], [step("CANARY", 1, **fields), step("control", 1, 2)])
    assert [line.text for line in got.lines] == ["ask", "control"]


def test_a_step_without_a_word_counts_and_is_no_line():
    got = build([HeardRow("ask")], [step(" \n", 1)])
    assert ([line.text for line in got.lines], got.step) == (["ask"], 2)


def test_whatever_was_said_before_a_fresh_start_stays_out_whatever_the_query_brought():
    rows = [HeardRow("CANARY", 1), HeardRow("CANARY", 3), HeardRow("control", 4)]
    said_rows = [SaidRow("CANARY", 2), SaidRow("mine", 5)]
    assert [line.text for line in build(rows, said_rows, fresh_from=3).lines] == ["control", "mine"]
    assert len(build(rows, said_rows).lines) == 5


def test_of_a_message_asked_again_the_last_row_is_the_input():
    again = heard(1, "ask")
    lines = [again, said(2, "answer"), heard(3, "ask", id=again.id)]
    assert request(*lines).asked is lines[2]
    assert request(said(1, "left over")).asked is None


def test_there_is_nothing_to_say_where_the_agent_has_the_last_word_in_its_turn():
    asked, spoken = heard(1, "ask"), said(1, "first", step=True)
    assert not request(asked, spoken, asked=asked.id).is_open
    assert request(asked, spoken, heard(2, "steer"), asked=asked.id).is_open
    assert request(asked, said(2, "an answer"), asked=asked.id).is_open


def test_the_newest_lines_that_fit_and_the_input_and_the_last_always():
    lines = [heard(n, f"line {n}") for n in range(1, 11)]
    kept, left_out = context.fit(request(*lines), lambda _: 10, 35)
    assert [line.number for line in kept] == [8, 9, 10]
    assert left_out == 7
    kept, left_out = context.fit(request(*lines, asked=lines[0].id), lambda _: 10, 25)
    assert [line.number for line in kept] == [1, 10]
    kept, _ = context.fit(request(*lines, asked=lines[3].id), lambda _: 100, 1)
    assert [line.number for line in kept] == [4, 10]


@given(st.lists(st.booleans(), min_size=1, max_size=30), st.integers(0, 400), st.data())
def test_fitting_keeps_order_bound_and_count(kinds, budget, data):
    lines = [heard(n, "x" * n) if own else said(n, "y" * n) for n, own in enumerate(kinds, 1)]
    asked = data.draw(st.sampled_from([line for line in lines if isinstance(line, context.Heard)] or [lines[-1]]))
    kept, left_out = context.fit(request(*lines, asked=asked.id), lambda line: len(line.text), budget)
    assert [line.number for line in kept] == sorted(line.number for line in kept)
    assert asked in kept
    assert lines[-1] in kept
    assert len(kept) + left_out == len(lines)
    always = {id(line): len(line.text) for line in (asked, lines[-1])}
    assert sum(len(line.text) for line in kept) <= max(budget, sum(always.values()))
