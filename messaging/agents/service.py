"""Keeps seats working: woken by lines, by its own timers, and by a sweep that forgets nobody.

The rows are the queue. Being told twice is harmless, and being told never costs a few seconds.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from datetime import datetime
from typing import ParamSpec
from uuid import UUID

from django.db import close_old_connections, connections
from django.utils import timezone

from messaging.agents import past, providers, turn
from messaging.agents.sources import listing
from messaging.mailbox.claim import claim, due
from messaging.mailbox.models import Seat, SeatKind

log = logging.getLogger(__name__)
P = ParamSpec("P")
THREADS = 8
SWEEP_EVERY = 2.0


class Service:
    """A pool of threads that work off seats. `work` may also be called from a thread of another pool.

    placement: of the seats that are served, "" of those that have none; None: all of them.
    """

    def __init__(self, threads: int = THREADS, sweep_every: float = SWEEP_EVERY, placement: str | None = None) -> None:
        self._placement = placement
        self._waiting: queue.SimpleQueue[UUID | None] = queue.SimpleQueue()
        self._queued: set[UUID] = set()
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._sweep_every = sweep_every
        self._listing = listing.Listing()
        # Daemons: a thread that a silent model holds must not hold up the end of the process.
        self._threads = [_daemon(self._run, f"turns-{n}") for n in range(threads)]
        self._sweeper = _daemon(self._keep_sweeping, "turns-sweep")

    def start(self) -> None:
        """Begins to work, with whatever waits already."""
        for thread in (*self._threads, self._sweeper):
            thread.start()

    def submit(self, seat: UUID) -> None:
        """Has the seat looked at soon. A seat that waits for a thread already is not queued twice."""
        with self._lock:
            if seat in self._queued or self._stopping.is_set():
                return
            self._queued.add(seat)
        self._waiting.put(seat)

    def work(self, seat: UUID) -> None:
        """Runs the seat's turns, one after the other, until there is nothing to do now; then tidies up its past."""
        ran = False
        while not self._stopping.is_set() and (claimed := claim(seat, self._placement)) is not None:
            ran, again = True, turn.run(claimed, self._stopping.is_set)
            if again is not None:
                self._later(seat, again)
                return
        if ran:
            past.tidy(seat, self._stopping.is_set)

    def stop(self, patience: float = 2.0) -> bool:
        """Interrupts what runs, so that it is taken up again, and answers whether all of it ended in time."""
        self._stopping.set()
        for _ in self._threads:
            self._waiting.put(None)
        until = time.monotonic() + patience
        for thread in self._threads:
            if thread.is_alive():
                thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _later(self, seat: UUID, at: datetime) -> None:
        timer = threading.Timer(max(0.0, (at - timezone.now()).total_seconds()), self.submit, [seat])
        timer.daemon = True
        timer.start()

    def _run(self) -> None:
        while (seat := self._waiting.get()) is not None:
            with self._lock:
                self._queued.discard(seat)
            _guarded(self.work, seat)
        connections.close_all()

    def _keep_sweeping(self) -> None:
        _guarded(self._sweep)
        _guarded(_warm_up)
        _guarded(listing.warm_up)
        while not self._stopping.wait(self._sweep_every):
            _guarded(self._sweep)
            _guarded(self._listing.sweep)
        connections.close_all()

    def _sweep(self) -> None:
        for seat in due(self._placement):
            self.submit(seat)


def _warm_up() -> None:
    """Loads the libraries of the models that seats have, so that no first question waits seconds for them."""
    hosted = Seat.objects.filter(kind=SeatKind.HOSTED, open=True)
    for name in hosted.values_list("provider", flat=True).distinct():
        if name in providers.NAMES:
            providers.get(name)


def _daemon(target: Callable[[], None], name: str) -> threading.Thread:
    return threading.Thread(target=target, name=name, daemon=True)


def _guarded(job: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> None:
    """A fault in one job ends that job. A turn it leaves behind is taken over once its lease runs out."""
    close_old_connections()
    try:
        job(*args, **kwargs)
    except Exception:
        log.exception("A job of the agents' process failed")
        # On SQLite a connection that saw the schema change can use the index of words no more.
        connections.close_all()
    finally:
        close_old_connections()
