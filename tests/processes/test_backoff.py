from __future__ import annotations

from collab.processes.backoff import Backoff


def test_pauses_grow_to_a_bound():
    backoff = Backoff(first=1, longest=5, quiet=60)
    assert [backoff.failed(now) for now in range(5)] == [1, 2, 4, 5, 5]


def test_a_quiet_while_forgives():
    backoff = Backoff(first=1, longest=5, quiet=60)
    backoff.failed(0)
    backoff.failed(1)
    assert backoff.failed(100) == 1
