"""Stretches are handed on without a gap, in order, each once; whatever is missing is left to be read."""

from __future__ import annotations

from uuid import uuid4

from hypothesis import given
from hypothesis import strategies as st

from messaging.transcript import fresh
from messaging.transcript.fresh import Stretch
from messaging.transcript.view import Frame


def stretch(session, after, length):
    frames = [Frame(after + n, "message", None) for n in range(1, length + 1)]
    return Stretch(session, after, frames, (0, 0))


@given(st.lists(st.tuples(st.integers(1, 4), st.booleans()), max_size=30), st.lists(st.integers(0, 8), max_size=10))
def test_a_reader_gets_what_follows_and_nothing_twice(commits, pauses):
    """`commits`: each of so many entries, by this process or (then it is not kept) by another one."""
    session, last, seen = uuid4(), 0, 0
    fresh.follow(session)
    pauses = iter(pauses)
    wait = 0
    for length, ours in commits:
        if ours:
            fresh.keep([stretch(session, last, length)])
        last += length
        wait -= 1
        if wait > 0:
            continue
        wait = next(pauses, 0)
        for found in fresh.after(session, seen):
            assert found.after == seen
            seen = found.frames[-1].seq
        assert seen <= last
        # What was not kept is read from the table, in order.
        seen = max(seen, last) if not ours else seen
    fresh.unfollow(session)


def test_an_older_stretch_is_not_shown_again():
    session = uuid4()
    fresh.follow(session)
    fresh.keep([stretch(session, 0, 2), stretch(session, 2, 1)])
    assert [one.after for one in fresh.after(session, 2)] == [2]
    assert fresh.after(session, 0) == []
    fresh.unfollow(session)


def test_a_gap_is_not_jumped_over():
    session = uuid4()
    fresh.follow(session)
    fresh.keep([stretch(session, 0, 1), stretch(session, 5, 1)])
    assert [one.after for one in fresh.after(session, 0)] == [0]
    assert [one.after for one in fresh.after(session, 5)] == [5]
    fresh.unfollow(session)


def test_memory_is_bounded():
    session = uuid4()
    fresh.follow(session)
    fresh.keep([stretch(session, n, 1) for n in range(1000)])
    assert len(fresh.after(session, 1000 - fresh.MOST)) == fresh.MOST
    fresh.unfollow(session)
