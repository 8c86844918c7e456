"""Sends wake-ups from a thread of its own, so that whoever commits never waits for a pipe or a server."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Callable

from messaging.mailbox import wake

log = logging.getLogger(__name__)
MOST_WAITING = 10_000


class Outbox:
    """A bounded queue before a slow door. What finds it full is dropped: the sweep finds the row."""

    def __init__(self, deliver: Callable[[wake.Line], None]) -> None:
        self._deliver = deliver
        self._waiting: queue.Queue[wake.Line | None] = queue.Queue(MOST_WAITING)
        self._thread = threading.Thread(target=self._run, name="wake-outbox", daemon=True)
        self._thread.start()

    def send(self, line: wake.Line) -> None:
        """Take a line to send; a `wake.Transport`."""
        try:
            self._waiting.put_nowait(line)
        except queue.Full:
            log.warning("A wake-up was dropped: the agents do not take any")

    def close(self) -> None:
        """Stop sending; what still waits is dropped."""
        try:
            self._waiting.put_nowait(None)
        except queue.Full:
            return  # the thread is a daemon and ends with the process

    def _run(self) -> None:
        while (line := self._waiting.get()) is not None:
            try:
                self._deliver(line)
            except Exception:
                log.exception("A wake-up could not be sent")
