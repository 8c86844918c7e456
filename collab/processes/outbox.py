"""Sends from a thread of its own, so that whoever commits never waits for a pipe or a server."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

log = logging.getLogger(__name__)
MOST_WAITING = 10_000
T = TypeVar("T")


class Outbox(Generic[T]):
    """A bounded queue before a slow door. What finds it full is dropped: the sweep, or whoever reads, finds the row.

    `deliver` is called in a thread called `name`. With `together`, all that comes within `moment` seconds after the
    first is made one and delivered once.
    """

    def __init__(
        self,
        name: str,
        deliver: Callable[[T], None],
        together: Callable[[list[T]], T] | None = None,
        moment: float = 0.0,
    ) -> None:
        self._deliver, self._together, self._moment = deliver, together, moment
        self._waiting: queue.Queue[T | None] = queue.Queue(MOST_WAITING)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def send(self, one: T) -> None:
        """Take something to send; a `wake.Transport` where it sends lines."""
        try:
            self._waiting.put_nowait(one)
        except queue.Full:
            log.warning("%s: nobody takes what is sent, so some of it was dropped", self._thread.name)

    def close(self) -> None:
        """Stop sending; what still waits is dropped."""
        try:
            self._waiting.put_nowait(None)
        except queue.Full:
            return  # the thread is a daemon and ends with the process

    def _run(self) -> None:
        while (one := self._waiting.get()) is not None:
            try:
                self._deliver(self._with_more(one))
            except Exception:
                log.exception("%s: something could not be sent", self._thread.name)

    def _with_more(self, first: T) -> T:
        if self._together is None:
            return first
        time.sleep(self._moment)
        found = [first]
        # What comes now is left for the next time, or one who never pauses would hold up what is here.
        for _ in range(self._waiting.qsize()):
            more = self._waiting.get_nowait()
            if more is None:
                self._waiting.put_nowait(None)
                break
            found.append(more)
        return self._together(found)
