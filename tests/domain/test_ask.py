"""What may become of an ask, and which answer counts."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messaging.domain import ask
from messaging.domain.ask import AskState, Standing, canonical, digest, fault, fault_of_question, is_open

NOW = datetime(2026, 1, 1, tzinfo=UTC)
OPEN = Standing(AskState.OPEN, ["Approve", "Decline"], digest("what"), NOW + timedelta(minutes=1))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(), lambda one: st.lists(one) | st.dictionaries(st.text(), one)
)


def test_it_is_open_and_then_ends_once():
    assert set(ask.TABLE.pairs()) == {("", "open"), *(("open", end) for end in ("answered", "expired", "withdrawn"))}
    assert set(ask.TABLE.ends) == {"answered", "expired", "withdrawn"}


@given(st.lists(st.sampled_from(list(AskState)), max_size=8))
def test_ends_stay_ends(walk):
    state, ended = "", ""
    for after in walk:
        if ask.TABLE.allows(state, after):
            state = after
            assert not ended
            ended = state if state != AskState.OPEN else ""
    assert (state in ask.TABLE.ends) is bool(ended)


@pytest.mark.parametrize(
    ("standing", "choice", "more", "code"),
    [
        (OPEN, "Approve", {}, ""),
        (OPEN, "Decline", {"seen": OPEN.digest}, ""),
        (OPEN, "Approve", {"shown": False}, "not_shown"),
        (OPEN, "Approve", {"seen": digest("else")}, "conflict"),
        (OPEN, "approve", {}, "bad_choice"),
        (OPEN, "", {}, "bad_choice"),
        (replace(OPEN, expires_at=NOW), "Approve", {}, "closed"),
        *((replace(OPEN, state=end), "Approve", {}, "closed") for end in ask.TABLE.ends),
    ],
)
def test_which_answer_counts(standing, choice, more, code):
    assert fault(standing, choice, NOW, **{"shown": True, **more}) == code


@given(
    state=st.sampled_from(list(AskState)),
    choice=st.sampled_from(["Approve", "Decline", "Perhaps", ""]),
    after=st.integers(-5, 5),
    shown=st.booleans(),
    seen=st.sampled_from(["", OPEN.digest, digest("else")]),
)
def test_one_counts_exactly_where_all_holds(state, choice, after, shown, seen):
    standing = replace(OPEN, state=state, expires_at=NOW + timedelta(seconds=after))
    holds = state == AskState.OPEN and after > 0 and shown and seen in ("", OPEN.digest)
    assert is_open(standing, NOW) is (state == AskState.OPEN and after > 0)
    assert (fault(standing, choice, NOW, shown=shown, seen=seen) == "") is (holds and choice in OPEN.options)


@given(st.text(min_size=1), st.dictionaries(st.text(), JSON))
def test_a_call_has_one_spelling_whatever_the_order_of_its_arguments(tool, arguments):
    turned = dict(reversed(arguments.items()))
    assert canonical(tool, arguments) == canonical(tool, turned)


@pytest.mark.parametrize(
    ("tool", "arguments"), [("plot", {"n": 2}), ("plot", {"n": "1"}), ("plan", {"n": 1}), ("plot", {"n": 1, "m": None})]
)
def test_whatever_differs_has_another_digest(tool, arguments):
    assert digest(canonical(tool, arguments)) != digest(canonical("plot", {"n": 1}))


@pytest.mark.parametrize(
    ("text", "options", "field"),
    [
        ("which?", ["a", "b"], None),
        ("x" * 2000, ["y" * 80, *"1234567"], None),
        ("", ["a", "b"], "text"),
        ("  ", ["a", "b"], "text"),
        ("x" * 2001, ["a", "b"], "text"),
        (5, ["a", "b"], "text"),
        ("which?", ["a"], "options"),
        ("which?", list("123456789"), "options"),
        ("which?", ["a", "y" * 81], "options"),
        ("which?", ["a", ""], "options"),
        ("which?", ["a", 2], "options"),
        ("which?", ["a", "A "], "options"),
        ("which?", ["a", "b\nc"], "options"),
        ("which?", "ab", "options"),
        ("which?", None, "options"),
    ],
)
def test_what_can_be_asked(text, options, field):
    wrong = fault_of_question(text, options)
    assert (wrong and wrong[0]) == field
