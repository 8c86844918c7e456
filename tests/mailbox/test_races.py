"""Claims against claims and withdrawals, on threads with connections of their own."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from threading import Barrier
from typing import Any

import pytest
from django.db import connections

from messaging.mailbox import say
from messaging.mailbox.claim import claim
from messaging.mailbox.lease import LeaseLost
from messaging.mailbox.models import Delivery, Seat, Turn, Utterance
from tests.mailbox import cast

pytestmark = pytest.mark.django_db(transaction=True)


def together(*deeds: Callable[[], Any]) -> list[Any]:
    """Starts all at once and answers with what each gave, or the exception it raised."""
    gate = Barrier(len(deeds))

    def run(deed: Callable[[], Any]) -> Any:
        gate.wait()
        try:
            return deed()
        except LeaseLost as lost:
            return lost
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(deeds)) as pool:
        return list(pool.map(run, deeds))


def test_of_many_claims_one_wins():
    seat = cast.mirror()
    for n in range(3):
        cast.told(seat, f"ask {n}")
    got = together(*[lambda: claim(seat.id)] * 8)
    assert len([one for one in got if one is not None]) == 1
    assert Turn.objects.count() == 1


@pytest.mark.parametrize("n", range(8))
def test_a_withdrawal_and_a_claim_exclude_each_other(n):
    seat = cast.mirror()
    asked = cast.told(seat, "ask")
    deeds = [lambda: claim(seat.id), lambda: cast.withdraw(asked)]
    results = together(*(deeds if n % 2 else reversed(deeds)))
    got, withdrawn = results if n % 2 else reversed(results)
    assert (got is None) == withdrawn
    state = Delivery.objects.get(id=asked.id).state
    assert state == ("superseded" if withdrawn else "delivered")
    assert Turn.objects.count() == (0 if withdrawn else 1)
    assert Seat.objects.get(id=seat.id).shown == (0 if withdrawn else 1)


@pytest.mark.parametrize("n", range(6))
def test_a_stop_and_an_answer_exclude_each_other(n):
    seat = cast.mirror()
    cast.told(seat, "ask")
    held = claim(seat.id)
    assert held is not None

    def stop() -> bool:
        try:
            cast.stop(held.turn)
        except ValueError:
            return False
        return True

    answered, stopped = together(lambda: say.answer(held, "done"), stop)
    assert isinstance(answered, LeaseLost) == stopped
    assert Utterance.objects.filter(kind="answer").count() == (0 if stopped else 1)
    assert Turn.objects.get().state == ("stopped" if stopped else "finished")


def test_pieces_and_a_takeover():
    """A worker that writes piece after piece while another takes its turn: no piece after that."""
    seat = cast.mirror()
    cast.told(seat, "ask")
    held = claim(seat.id)
    assert held is not None

    def stream() -> int:
        for n in count(1):
            try:
                say.piece(held, n, "bit")
            except LeaseLost:
                return n - 1
            # SQLite's locks are not fair: without a pause the other would wait for ever.
            time.sleep(0.002)
        raise AssertionError

    def take() -> Any:
        cast.lease_runs_out(held.turn)
        return claim(seat.id)

    written, other = together(stream, take)
    assert other is not None
    assert other.n == 2
    assert Utterance.objects.filter(attempt=1).count() == written
