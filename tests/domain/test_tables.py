"""The tables of states: exactly the published moves, drawn into the docs as they are."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messaging.domain import ask, disposition, turn
from messaging.domain.disposition import Disposition
from messaging.domain.table import IllegalMove

PUBLISHED = {
    "": "accepted",
    "accepted": "queued steering_requested rejected superseded failed",
    "queued": "delivered steering_requested superseded rejected failed too_late",
    "steering_requested": "delivered too_late superseded rejected failed",
    "failed": "queued",
    "delivered": "responded",
}
DOCS = Path(__file__).parents[2] / "docs" / "states.md"


@pytest.mark.parametrize(("before", "after"), list(product(["", *Disposition], Disposition)))
def test_every_pair_is_a_move_exactly_if_it_is_published(before, after):
    allowed = after in PUBLISHED.get(before, "").split()
    assert disposition.TABLE.allows(before, after) is allowed
    if not allowed:
        with pytest.raises(IllegalMove):
            disposition.TABLE.check(before, after)


def test_ends_stay_ends():
    assert set(disposition.TABLE.ends) == {"responded", "rejected", "superseded", "too_late"}


@given(st.lists(st.sampled_from(list(Disposition)), max_size=12))
def test_once_shown_never_waiting_again(walk):
    state, shown = "", False
    for after in walk:
        if disposition.TABLE.allows(state, after):
            state = after
            assert not (shown and state not in disposition.SHOWN)
            shown = shown or state in disposition.SHOWN


def test_a_turn_runs_and_then_ends_once():
    assert set(turn.TABLE.pairs()) == {
        ("", "running"),
        *(("running", end) for end in ("finished", "stopped", "failed")),
    }
    assert set(turn.TABLE.ends) == {"finished", "stopped", "failed"}


@pytest.mark.parametrize(
    ("attempts", "retryable", "acted", "again"),
    [
        (1, True, False, True),
        (2, True, False, True),
        (3, True, False, False),
        (1, False, False, False),
        (1, True, True, False),
    ],
)
def test_what_is_tried_again(attempts, retryable, acted, again):
    assert turn.may_retry(attempts, retryable=retryable, acted=acted) is again


@given(st.integers(1, 3), st.one_of(st.none(), st.floats(0, 1e6)))
def test_the_pause_is_bounded_and_heeds_the_provider(attempts, asked):
    pause = turn.pause(attempts, asked)
    assert turn.BACKOFF[0] <= pause <= turn.LONGEST_WAIT
    assert pause >= min(asked or 0, turn.LONGEST_WAIT)


@pytest.mark.parametrize("table", [disposition.TABLE, turn.TABLE, ask.TABLE])
def test_the_docs_show_the_table_as_it_is(table):
    assert f"```mermaid\n{table.diagram()}\n```" in DOCS.read_text()
