"""The service: wakes, timers, the sweep, and a stop that hands on what runs."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.db import connections

from messaging.agents.context import Request
from messaging.agents.providers.base import ProviderError
from messaging.agents.service import Service
from messaging.domain import turn as rules
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Attempt, Turn, Utterance
from tests.agents.conftest import until
from tests.agents.fakes import Fake, put_in
from tests.mailbox import cast

pytestmark = pytest.mark.django_db(transaction=True)
NEVER = 3600.0


@pytest.fixture
def service() -> Iterator[Service]:
    """A service whose sweep runs once at its start and then no more."""
    made = Service(threads=4, sweep_every=NEVER)
    yield made
    assert made.stop(5)


def answers() -> list[str]:
    return list(Utterance.objects.filter(kind="answer").order_by("said_at").values_list("text", flat=True))


def ask(provider: str = "fake"):
    seat = cast.mirror(provider=provider)
    cast.told(seat, "ask")
    return seat


def test_a_wake_up_starts_the_turn(service, monkeypatch):
    put_in(monkeypatch, Fake(lambda _: iter(["hello"])))
    service.start()
    time.sleep(0.2)
    seat = ask()
    time.sleep(0.3)
    assert answers() == [], "nobody was told"
    service.submit(seat.id)
    assert until(answers) == ["hello"]


def test_what_waits_at_the_start_needs_no_wake_up(service, monkeypatch):
    put_in(monkeypatch, Fake(lambda _: iter(["hello"])))
    ask()
    service.start()
    assert until(answers) == ["hello"]


def test_the_sweep_finds_what_nobody_told(monkeypatch):
    put_in(monkeypatch, Fake(lambda _: iter(["hello"])))
    service = Service(threads=1, sweep_every=0.1)
    service.start()
    time.sleep(0.3)
    seat = ask()
    assert until(answers) == ["hello"]
    dead = cast.told(seat, "again")
    held = claim(seat.id)
    if held is not None:
        cast.lease_runs_out(held.turn)
    assert until(lambda: len(answers()) == 2)
    assert Turn.objects.get(input=dead).state == "finished"
    assert service.stop(5)


def test_a_timer_brings_the_next_attempt(service, monkeypatch):
    monkeypatch.setattr(rules, "BACKOFF", (0.3, 0.3))

    def bits(request: Request) -> Iterator[str]:
        if request.attempt < 3:
            raise ProviderError("provider_busy")
        yield "at last"

    put_in(monkeypatch, Fake(bits))
    seat = ask()
    began = time.monotonic()
    service.start()
    service.submit(seat.id)
    assert until(answers) == ["at last"]
    assert time.monotonic() - began >= 0.6
    assert [a.state for a in Attempt.objects.order_by("n")] == ["failed", "failed", "finished"]


def test_seats_run_side_by_side_and_one_seat_in_order(service, monkeypatch):
    together = threading.Barrier(3)

    def bits(_: Request) -> Iterator[str]:
        together.wait(5)
        yield "met"

    put_in(monkeypatch, Fake(bits))
    seats = [ask() for _ in range(3)]
    service.start()
    for seat in seats * 5:
        service.submit(seat.id)
    assert until(lambda: len(answers()) == 3)
    assert Turn.objects.filter(state="finished").count() == 3


def test_a_seat_works_off_all_that_is_cleared(service, monkeypatch):
    put_in(monkeypatch, Fake(lambda request: iter([request.lines[-1].text])))
    seat = cast.mirror(provider="fake")
    for n in range(3):
        cast.told(seat, f"ask {n}")
    service.start()
    service.submit(seat.id)
    assert until(lambda: len(answers()) == 3)
    assert answers() == ["ask 0", "ask 1", "ask 2"]


def test_a_fault_in_one_job_leaves_the_others_alone(service, monkeypatch):
    put_in(monkeypatch, Fake(lambda _: iter(["hello"])))
    service.start()
    service.submit("no seat at all")  # type: ignore[arg-type]
    service.submit(uuid4())
    seat = ask()
    service.submit(seat.id)
    assert until(answers) == ["hello"]


def test_a_stop_hands_on_what_runs(monkeypatch):
    begun = threading.Event()

    def bits(_: Request) -> Iterator[str]:
        begun.set()
        while True:
            time.sleep(0.02)
            yield "x"

    put_in(monkeypatch, Fake(bits))
    service = Service(threads=1, sweep_every=NEVER)
    ask()
    service.start()
    assert begun.wait(5)
    assert service.stop(5)
    row = Turn.objects.get()
    assert (row.state, row.lease_owner) == ("running", None)
    assert row.not_before
    assert (Attempt.objects.get().reason, Attempt.objects.get().retryable) == ("interrupted", True)
    assert answers() == []


def test_a_stop_does_not_wait_for_a_provider_that_hangs(monkeypatch):
    begun, end = threading.Event(), threading.Event()

    def bits(_: Request) -> Iterator[str]:
        begun.set()
        end.wait(20)
        yield ""

    put_in(monkeypatch, Fake(bits))
    service = Service(threads=1, sweep_every=NEVER)
    ask()
    service.start()
    assert begun.wait(5)
    began = time.monotonic()
    assert not service.stop(0.3)
    assert time.monotonic() - began < 2
    end.set()
    assert service.stop(5)
    connections.close_all()
