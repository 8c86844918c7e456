"""The same lines as the pipe's, between the processes of a fleet: over Redis, under their own prefix."""

from __future__ import annotations

import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import redis
from celery import Celery

from messaging.mailbox import served, wake

log = logging.getLogger(__name__)
# How long a thread stays in a question, and so how late it notices that it should end.
PATIENCE = 1.0


def to_agents(url: str) -> Callable[[wake.Line], None]:
    """Return a door that wakes a seat in whichever process of agents is free, of those that serve its placement."""
    queue = Celery("agents-door", broker=url, set_as_current=False)
    queue.conf.update(
        broker_transport_options={"global_keyprefix": wake.PREFIX, "socket_connect_timeout": 2},
        broker_connection_timeout=2,
        task_ignore_result=True,
        task_publish_retry_policy={"max_retries": 1, "interval_start": 0},
    )

    def deliver(line: wake.Line) -> None:
        # Where nobody takes tasks they would pile up. Whoever comes to serve the placement finds the rows.
        if isinstance(line, wake.Wake) and served.may_be(line.placement):
            queue.send_task(wake.TASK, args=[str(line.seat)], queue=wake.queue(line.placement))

    return deliver


class Listening(ABC):
    """A thread that stays with Redis through its restarts."""

    def __init__(self, url: str, name: str) -> None:
        self.client = redis.Redis.from_url(url, socket_timeout=PATIENCE * 5, socket_connect_timeout=2)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._well = False

    def start(self) -> None:
        """Begin to listen."""
        self._thread.start()

    def alive(self) -> bool:
        """Whether the last question found Redis there."""
        return self._well and self._thread.is_alive()

    def stop(self) -> None:
        """End within `PATIENCE`; the thread holds nothing, so nobody waits for it."""
        self._stopping.set()

    @abstractmethod
    def listen(self, stopping: threading.Event) -> None:
        """Take what comes until told to stop or Redis goes away."""

    def well(self) -> None:
        """Note that Redis answered."""
        self._well = True

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self.listen(self._stopping)
            except redis.RedisError as error:
                self._well = False
                log.warning("Redis is away: %s", type(error).__name__)
                self._stopping.wait(PATIENCE)
            except Exception:
                # Whatever somebody left there, the thread that listens must go on.
                log.exception("what came over Redis could not be handled")
                self._stopping.wait(PATIENCE)


class LinesFromAgents(Listening):
    """Takes the lines that processes of agents have left for the house."""

    def __init__(self, url: str, handle: Callable[[bytes], None]) -> None:
        super().__init__(url, "lines-from-agents")
        self._handle = handle

    def listen(self, stopping: threading.Event) -> None:
        """Take line by line. One that is lost on the way is found by the sweep."""
        while not stopping.is_set():
            found: Any = self.client.brpop([wake.LINES], timeout=PATIENCE)
            self.well()
            if found:
                self._handle(found[1])
