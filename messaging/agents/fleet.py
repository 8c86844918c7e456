"""What a process of the agents' fleet runs beside its queue: timers, a sweep, the line to the house."""

from __future__ import annotations

import logging
from functools import cache

import redis
from django.conf import settings

from messaging.agents.service import Service
from messaging.mailbox import alive, wake

log = logging.getLogger(__name__)
#: Lines nobody takes are dropped from the far end: the house's sweep finds the rows.
MOST_LINES = 10_000
_OWN_THREADS = 2
#: Whose seats this process serves.
PLACEMENT: str = getattr(settings, "PLACEMENT", "")
_heartbeats: list[alive.Heartbeat] = []


@cache
def service() -> Service:
    """This process's service. The queue's own threads run most turns; these few take what got lost."""
    return Service(threads=_OWN_THREADS, placement=PLACEMENT)


def begin(redis_url: str) -> None:
    """Starts once the worker takes tasks."""
    wake.install(Answers(redis.Redis.from_url(redis_url, socket_connect_timeout=2, socket_timeout=2)).send)
    service().start()
    _heartbeats.append(alive.Heartbeat(alive.client(redis_url), wake.ALIVE, "agents", placement=PLACEMENT))
    _heartbeats[-1].start()


def end() -> None:
    """Interrupts what runs, for a stop that does not wait for a model."""
    for heartbeat in _heartbeats:
        heartbeat.stop()
    service().stop()


class Answers:
    """Sends lines by a list in Redis."""

    def __init__(self, server: redis.Redis) -> None:
        self._server = server

    def send(self, line: wake.Line) -> None:
        """A `wake.Transport`: never raises, for the row that it is about is committed already."""
        try:
            with self._server.pipeline(transaction=False) as pipe:
                pipe.lpush(wake.LINES, wake.encode(line))
                pipe.ltrim(wake.LINES, 0, MOST_LINES - 1)
                pipe.execute()
        except redis.RedisError as error:
            log.warning("The house could not be told (%s)", type(error).__name__)
