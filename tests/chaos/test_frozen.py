"""A process of agents stops in mid-answer without dying, and goes on when another has long taken over (promise 17)."""

from __future__ import annotations

import os
import signal
import time

import pytest

from tests.chaos import cast, facts, reconcile
from tests.chaos.clients import Client, Wish, until
from tests.chaos.conftest import ANSWER
from tests.models.plays import Say

pytestmark = pytest.mark.chaos
LEASE = 30
KEY = "<frozen/p00/0>"


@pytest.fixture
def slow(model):
    model.then(Say(("I ", "heard ", "that."), pause=1.5))
    yield model
    model.then(ANSWER)


def test_who_wakes_up_without_its_lease_writes_nothing(fleet, people, slow, size):
    if size.gone < LEASE:
        pytest.skip(f"a silent worker keeps its turn for {LEASE} s: `make soak` waits that long")
    owner, [somebody, *_] = people
    known = cast.meet("frozen", owner, [somebody], fleet.addresses[0], slow.openai_url, 1)
    before = len(slow.requests)
    fleet.children["agents-1"].kill()
    asking = Client(somebody, [Wish("p00", known.sessions[0], KEY, KEY, "active_agent")], fleet.addresses, 0, size.seed)
    asking.start()
    until(lambda: len(slow.requests) > before, "the first attempt", 20)
    os.kill(fleet.children["agents-0"].pid, signal.SIGSTOP)
    try:
        fleet.spawn("agents-1")
        until(lambda: not facts.waiting(fleet.sql), "the answer of the second attempt", LEASE * 2)
    finally:
        os.kill(fleet.children["agents-0"].pid, signal.SIGCONT)
    # All of its answer has come in by now: it has nothing to wait for but the refusal.
    time.sleep(5)
    rows = facts.read(fleet.sql, known.sessions, commits=True)
    assert [turn.attempts for turn in rows.turns] == [2]
    assert facts.asked(slow.requests, "frozen") == [KEY, KEY]
    assert reconcile.everything(asking.kept, rows, [KEY, KEY], {}) == []
    assert fleet.fell == []
