"""What runs beside a process's own work ends with it."""

from __future__ import annotations

import threading

import pytest
from django.conf import settings

from collab import environment
from collab.processes import parts
from messaging.journal import poke
from messaging.mailbox import wake


@pytest.fixture
def fleet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings of a fleet whose Redis nobody asks: nothing is sent."""
    monkeypatch.setattr(wake, "_transport", wake._transport)
    monkeypatch.setattr(poke, "_transport", poke._transport)
    found = environment.read({"REDIS_URL": "redis://127.0.0.1:1", "SECRET_KEY": "x" * 40})
    monkeypatch.setattr(settings, "ENVIRONMENT", found)


def test_a_command_s_doors_are_closed_behind_it(fleet: None):
    before = set(threading.enumerate())
    opened: set[threading.Thread] = set()
    with pytest.raises(KeyboardInterrupt), parts.for_command():
        opened |= set(threading.enumerate()) - before
        raise KeyboardInterrupt
    assert {thread.name for thread in opened} == {"wake-outbox", "pokes-out"}
    for thread in opened:
        thread.join(5)
        assert not thread.is_alive()


def test_in_one_process_a_command_needs_none():
    before = set(threading.enumerate())
    with parts.for_command():
        assert set(threading.enumerate()) == before
