"""What runs beside the web server: everything in the embedded mode, ears and doors in a fleet."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from celery import signals
from django.conf import settings

from collab.environment import Environment
from collab.processes import agents_environment, inbox, presence, readiness
from collab.processes.outbox import Outbox
from collab.processes.placing import Placing
from collab.processes.poking import PokesIn, PokesOut
from messaging.journal import poke
from messaging.mailbox import alive, served, wake

Stop = Callable[[], None]


class Parts:
    """The running parts of this process, stopped together."""

    def __init__(self) -> None:
        self._stops: list[Stop] = []

    def add(self, stop: Stop) -> None:
        """Remember how to stop a part."""
        self._stops.append(stop)

    def stop(self) -> None:
        """Stop all parts at the same time: together they take as long as the slowest."""
        threads = [threading.Thread(target=stop, daemon=True) for stop in self._stops]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self._stops.clear()
        readiness.forget()


def for_web() -> Parts:
    """Start what a web process needs."""
    environment: Environment = settings.ENVIRONMENT
    if environment.embedded:
        return _everything(environment)
    parts = Parts()
    _fleet_doors(environment, parts)
    household = presence.Household(alive.client(environment.redis_url or ""))
    _ears(environment, parts, household)
    _placing(parts, household)
    _writer(parts)
    _heartbeat(environment, parts, "web").start()
    return parts


def for_worker() -> Parts:
    """Start what a worker of the fleet needs: its doors, and the agents' lines."""
    from collab.processes.redis_door import LinesFromAgents

    environment: Environment = settings.ENVIRONMENT
    parts = Parts()
    _fleet_doors(environment, parts)
    lines = LinesFromAgents(environment.agents_redis_url or "", inbox.handle)
    lines.start()
    parts.add(lines.stop)
    _placing(parts, presence.Household(alive.client(environment.redis_url or "")))
    heartbeat = _heartbeat(environment, parts, "worker")
    # A worker that has not reached the queue yet does no work.
    signals.worker_ready.connect(lambda **_: heartbeat.start(), weak=False)
    return parts


@contextmanager
def for_command() -> Iterator[None]:
    """What a command that posts needs meanwhile: doors in a fleet; in one process the sweep finds what it leaves."""
    environment: Environment = settings.ENVIRONMENT
    parts = Parts()
    if not environment.embedded:
        _fleet_doors(environment, parts)
    try:
        yield
    finally:
        parts.stop()


def _everything(environment: Environment) -> Parts:
    from collab.processes.beat import BeatThread
    from collab.processes.pipe import AgentsChild
    from collab.processes.worker import WorkerThread

    parts = Parts()
    environ = agents_environment.cleaned(os.environ, environment.agents_database_url)
    child = AgentsChild(environ, inbox.handle)
    outbox = Outbox("wake-outbox", child.deliver)
    wake.install(outbox.send)
    poke.install(poke.local)
    _writer(parts)
    # The child takes longest to come up, so it begins first.
    child.start()
    parts.add(outbox.close)
    parts.add(child.stop)
    worker, beat = WorkerThread(), BeatThread()
    worker.start()
    parts.add(worker.stop)
    beat.start()
    parts.add(beat.stop)
    for name, part in (("agents", child), ("worker", worker), ("beat", beat)):
        readiness.watch(name, part.alive)
    return parts


def _fleet_doors(environment: Environment, parts: Parts) -> None:
    from collab.processes.redis_door import to_agents

    outbox = Outbox("wake-outbox", to_agents(environment.agents_redis_url or ""))
    wake.install(outbox.send)
    pokes = PokesOut(environment.redis_url or "")
    poke.install(pokes.send)
    parts.add(outbox.close)
    parts.add(pokes.close)


def _heartbeat(environment: Environment, parts: Parts, role: str) -> alive.Heartbeat:
    made = alive.Heartbeat(alive.client(environment.redis_url or ""), presence.PREFIX, role)
    parts.add(made.stop)
    return made


def _writer(parts: Parts) -> None:
    from collab.processes import writer

    writing = writer.Writer()
    writing.start()
    writer.install(writing)
    readiness.watch("writer", writing.alive)

    def stop() -> None:
        writer.install(None)
        writing.stop()

    parts.add(stop)


def _placing(parts: Parts, household: presence.Household) -> None:
    placing = Placing(household)
    placing.start()
    served.install(placing.placements)

    def stop() -> None:
        served.install(None)
        placing.stop()

    parts.add(stop)


def _ears(environment: Environment, parts: Parts, household: presence.Household) -> None:
    pokes = PokesIn(environment.redis_url or "")
    pokes.start()
    parts.add(pokes.stop)
    readiness.watch_fleet(household, pokes.alive)
