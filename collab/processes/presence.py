"""Which processes of the installation run, on whatever machine: what each says of itself in Redis."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import redis

from messaging.mailbox import alive, wake
from messaging.mailbox.alive import Alive

PREFIX = "earshot:alive:"
HOUSE_ROLES = ("web", "worker", "beat")
AGENTS = "agents"
#: Of one role no more are looked at: below the agents' prefix anybody's code may write as many as it likes.
MOST = 500
_PAGE = 1000


def report(server: redis.Redis) -> list[Alive]:
    """Every process that has said within the last nine seconds that it runs, by role, machine and number.

    That is what each says of itself: agents may run hostile code, so their word is no proof of anything.

    Raises redis.RedisError where Redis does not answer.
    """
    found = [*_read(server, PREFIX, HOUSE_ROLES), *_read(server, wake.ALIVE, (AGENTS,))]
    return sorted(found, key=lambda one: (one.role, one.host, one.pid))


def _read(server: Any, prefix: str, roles: tuple[str, ...]) -> Iterator[Alive]:
    """Below each prefix only its own roles count: agents cannot pass for a worker."""
    for role in roles:
        # A scan may name a key twice.
        keys = dict.fromkeys(islice(server.scan_iter(match=f"{prefix}{role}:*", count=_PAGE), MOST))
        for raw in _beginnings(server, list(keys)):
            one = alive.decode(role, raw)
            if one is not None:
                yield one


def _beginnings(server: Any, keys: list[Any]) -> list[bytes]:
    """What lies under the keys, but no more of it than it takes to see that it is too long."""
    asked = server.pipeline(transaction=False)
    for key in keys:
        asked.getrange(key, 0, alive.LONGEST)
    # A key that holds no text at all has an error for its answer.
    return [raw for raw in asked.execute(raise_on_error=False) if isinstance(raw, bytes)]


def placements(there: Iterable[Alive]) -> frozenset[str]:
    """What the processes of agents among these serve."""
    return frozenset(one.placement for one in there if one.role == AGENTS)


class Household:
    """Answers which roles are there, asking Redis once a second at most, however many ask this process."""

    def __init__(self, server: redis.Redis, fresh: float = 1.0) -> None:
        self._server = server
        self._fresh = fresh
        self._asked = float("-inf")
        self._there: list[Alive] | None = None

    def reachable(self) -> bool:
        """Whether Redis answers."""
        return self._look() is not None

    def has(self, role: str) -> bool | None:
        """Whether a process of that role runs; None where Redis, which would know, does not answer."""
        there = self._look()
        return None if there is None else any(one.role == role for one in there)

    def placements(self) -> frozenset[str] | None:
        """The placements that processes of agents serve, "" that of seats without one; None where Redis is away."""
        there = self._look()
        return None if there is None else placements(there)

    def _look(self) -> list[Alive] | None:
        now = time.monotonic()
        if now - self._asked >= self._fresh:
            try:
                self._there = report(self._server)
            except redis.RedisError:
                self._there = None
            # A question that took its time is fresh when it was answered, not when it was asked.
            self._asked = time.monotonic()
        return self._there
