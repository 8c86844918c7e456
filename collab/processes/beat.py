"""The clockwork: sends each periodic task when it is due, once, however many beats run."""

from __future__ import annotations

import logging
import signal
import threading
from typing import Any

from celery.beat import ScheduleEntry, Scheduler, Service
from django.conf import settings
from redis import Redis

from collab.celery import app
from collab.processes import begun, presence
from messaging.mailbox import alive

log = logging.getLogger(__name__)


class SharedScheduler(Scheduler):
    """Lets one of several beats send each due task: the first that claims this tick."""

    redis: Redis | None = None

    def apply_async(self, entry: ScheduleEntry, *args: Any, **kwargs: Any) -> Any:
        """Send the task unless another beat has just done so."""
        if self._mine(entry):
            return super().apply_async(entry, *args, **kwargs)
        return None

    def _mine(self, entry: ScheduleEntry) -> bool:
        if self.redis is None:
            return True
        # The claim ends a little before the next tick, so that clocks that drift apart miss none.
        every = int(entry.schedule.run_every.total_seconds() * 900)  # type: ignore[union-attr]
        return bool(self.redis.set(f"earshot:beat:{entry.name}", "1", nx=True, px=every))


class BeatThread:
    """Beats inside this process."""

    def __init__(self, redis: Redis | None = None) -> None:
        scheduler = type("BoundScheduler", (SharedScheduler,), {"redis": redis})
        self._service = Service(app, max_interval=1, scheduler_cls=scheduler)
        self._thread = threading.Thread(target=self._run, name="beat", daemon=True)

    def start(self) -> None:
        """Begin to send."""
        self._thread.start()

    def alive(self) -> bool:
        """Whether tasks are sent."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """End. The thread sleeps for a second at most and holds nothing, so nobody waits for it."""
        self._service.stop(wait=False)

    def _run(self) -> None:
        try:
            self._service.start(embedded_process=False)
        except Exception:
            log.exception("The beat ended")


def run(redis_url: str) -> None:
    """Beat in the foreground until a signal ends it."""
    redis = Redis.from_url(redis_url, socket_timeout=2, socket_connect_timeout=2)
    stopping = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopping.set())
    beat, heartbeat = BeatThread(redis), alive.Heartbeat(alive.client(redis_url), presence.PREFIX, "beat")
    beat.start()
    heartbeat.start()
    begun.tell("beat", settings.ENVIRONMENT)
    while not stopping.wait(1.0) and beat.alive():
        pass
    heartbeat.stop()
    beat.stop()
