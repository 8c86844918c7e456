"""The lines between house and agents: ids alone, and nothing from outside chooses a handler."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import transaction
from hypothesis import given
from hypothesis import strategies as st

from messaging.mailbox import wake
from messaging.mailbox.wake import Collect, Piece, Wake

lines = st.one_of(st.builds(Wake, st.uuids()), st.builds(Collect, st.uuids()), st.builds(Piece, st.uuids(), st.uuids()))


@given(lines)
def test_what_is_written_is_read_back(line):
    assert wake.decode(wake.encode(line)) == line


@given(st.one_of(st.binary(max_size=80), st.text(max_size=80).map(str.encode)))
def test_anything_else_is_nothing(raw):
    assert wake.decode(raw) is None


@pytest.mark.parametrize(
    "raw", [b'{"type":"wake"}', b'{"type":"eval","seat":"1"}', b'{"type":["wake"]}', b'{"type":"wake","seat":7}']
)
def test_lines_of_the_wrong_shape_are_nothing(raw):
    assert wake.decode(raw) is None


@pytest.mark.django_db(transaction=True)
def test_a_wake_up_follows_the_commit_and_a_rollback_sends_none():
    """F13: never before the commit, never without one."""
    sent: list[wake.Line] = []
    wake.install(sent.append)
    try:
        with transaction.atomic():
            wake.send(line := Wake(uuid4()))
            assert sent == []
        assert sent == [line]
        with pytest.raises(ZeroDivisionError), transaction.atomic():
            wake.send(Wake(uuid4()))
            raise ZeroDivisionError
        assert sent == [line]
    finally:
        wake.install(wake._nowhere)


def test_a_placement_has_a_queue_of_its_own_and_no_line_tells_it():
    assert wake.queue("") != wake.queue("celery")
    assert len({wake.queue(one) for one in ("", "gpu", "cpu", "celery")}) == 4
    line = Wake(uuid4(), "gpu")
    assert b"gpu" not in wake.encode(line)
    assert wake.decode(wake.encode(line)) == Wake(line.seat)
