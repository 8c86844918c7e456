"""The mirror shows what reached it, all of that, and nothing else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from messaging.agents import providers
from messaging.agents.providers import mirror
from messaging.domain.text import MAX_TEXT_BYTES
from tests.agents.requests import heard, request, said


def answer(*lines, **fields):
    return "".join(providers.get("mirror").stream(request(*lines, **fields)))


def test_says_what_it_is_and_repeats_each_delivery_with_its_author():
    told = answer(heard(1, "good morning"), heard(2, "and you?", author_name="Sam"))
    assert told == "I repeat what reached me; I am no model.\n\nAlex: good morning\n\nSam: and you?"


def test_its_own_answers_go_by_id_alone():
    before = said(2, "a long answer")
    told = answer(heard(1, "one"), before, heard(3, "two"))
    assert f"([my earlier answer](#m-{before.id}))" in told
    assert "a long answer" not in told


def test_steered_it_repeats_what_it_has_now_and_not_what_it_has_said_so_far():
    asked = heard(1, "ask")
    lines = [asked, said(1, "so far", step=True), heard(2, "rather so")]
    told = "".join(mirror.Mirror().stream(request(*lines, asked=asked.id)))
    assert told == f"{mirror.WORDS}\n\nAlex: ask\n\nAlex: rather so"


@given(st.integers(1, 8192), st.integers(1, 7))
def test_all_its_steps_fit_into_one_answer(size, steers):
    """As far as what it must repeat does."""
    asked = heard(1, "x" * size)
    lines, steps = [asked], []
    for n in range(steers + 1):
        steps.append("".join(mirror.Mirror().stream(request(*lines, asked=asked.id))))
        lines += [said(n + 1, steps[-1], step=True), heard(n + 2, "y" * 512)]
        if sum(map(len, steps)) + size + 2048 > MAX_TEXT_BYTES:
            break
    assert len("\n\n".join(steps).encode()) <= MAX_TEXT_BYTES


def test_it_tells_when_something_was_left_out():
    lines = [heard(n, "x" * 8000) for n in range(1, 20)]
    told = answer(*lines)
    assert "(13 earlier left out)" in told
    assert "left out" not in answer(*lines[-3:])


@given(st.lists(st.text(max_size=200), min_size=1, max_size=20))
def test_exactly_the_deliveries_of_its_request(texts):
    told = answer(*(heard(n, text) for n, text in enumerate(texts, 1)))
    assert told == mirror.WORDS + "".join(f"\n\nAlex: {text}" for text in texts)


@given(st.integers(1, 8192), st.sampled_from(["x", "é", "😀"]))
def test_its_answer_fits_what_any_text_may_hold(size, sign):
    lines = [heard(n, sign * (size // len(sign.encode())), author_name="N" * 80) for n in range(1, 40)]
    assert len(answer(*lines).encode()) <= MAX_TEXT_BYTES
