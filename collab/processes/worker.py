"""The house's worker: a thread in the embedded mode, a process of its own in the fleet."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from typing import Any

from celery import signals
from celery.worker import state

from collab.celery import app

log = logging.getLogger(__name__)
THREADS = 4
#: Seconds before a worker that ended by itself begins again.
PAUSE = 1.0
OPTIONS: dict[str, Any] = {
    "pool": "threads",
    "concurrency": THREADS,
    "loglevel": "WARNING",
    "without_gossip": True,
    "without_mingle": True,
    "without_heartbeat": True,
}


class WorkerThread:
    """Runs the queue's tasks inside this process."""

    def __init__(self) -> None:
        self._name = f"embedded-{os.getpid()}@earshot"
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="worker", daemon=True)

    def start(self, patience: float = 10.0) -> None:
        """Start and wait until tasks are taken."""
        # A worker that ran before in this process leaves word that it should stop.
        state.should_stop = state.should_terminate = None
        self._thread.start()
        if not self._ready.wait(patience):
            raise RuntimeError("the worker thread did not start")

    def alive(self) -> bool:
        """Whether tasks are taken."""
        return self._thread.is_alive() and self._ready.is_set()

    def stop(self, patience: float = 2.0) -> None:
        """Ask the worker to end, which wakes it at once, and wait for it."""
        if not self._thread.is_alive():
            return
        app.control.shutdown(destination=[self._name])
        self._thread.join(patience)

    def _run(self) -> None:
        # Not the command line's worker: that one wants the main thread's signals.
        controller = app.WorkController(hostname=self._name, ready_callback=lambda *_: self._ready.set(), **OPTIONS)
        try:
            controller.start()
        except Exception:
            log.exception("The worker thread ended")


def run(on_stop: Callable[[], None]) -> None:
    """Run a worker in the foreground until a signal ends it.

    A broker that dies at a bad moment ends Celery's worker for good, and with it, as if all were well, the process.
    """
    told = threading.Event()

    def stopping(**_: object) -> None:
        told.set()
        on_stop()

    signals.worker_shutting_down.connect(stopping, weak=False)
    while not told.is_set():
        # A worker that ran before in this process leaves word that it should stop.
        state.should_stop = state.should_terminate = None
        app.Worker(hostname=f"worker-{os.getpid()}@%h", quiet=True, **OPTIONS).start()
        if not told.is_set():
            log.warning("The worker ended without being told to; it begins again")
            told.wait(PAUSE)
