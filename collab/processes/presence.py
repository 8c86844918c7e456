"""Which processes of the installation run, on whatever machine: what each says of itself in Redis."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import redis

from messaging.mailbox import alive, wake
from messaging.mailbox.alive import Alive, client

__all__ = ["Alive", "Household", "Presence", "client", "report"]

PREFIX = "earshot:alive:"
HOUSE_ROLES = ("web", "worker", "beat")
AGENTS = "agents"
_PAGE = 1000


class Presence(alive.Presence):
    """Says for as long as it runs that a process of this role (web, worker, beat) is there."""

    def __init__(self, url: str, role: str) -> None:
        super().__init__(client(url), PREFIX, role)


def report(server: redis.Redis) -> list[Alive]:
    """Every process that has said within the last nine seconds that it runs, by role, machine and number.

    Raises redis.RedisError where Redis does not answer.
    """
    found = [*_read(server, PREFIX, HOUSE_ROLES), *_read(server, wake.ALIVE, (AGENTS,))]
    return sorted(found, key=lambda one: (one.role, one.host, one.pid))


def _read(server: Any, prefix: str, roles: tuple[str, ...]) -> Iterator[Alive]:
    """Below each prefix only its own roles count: agents cannot pass for a worker."""
    for role in roles:
        keys = list(dict.fromkeys(server.scan_iter(match=f"{prefix}{role}:*", count=_PAGE)))
        values = server.mget(keys) if keys else []
        for raw in values:
            one = alive.decode(role, raw) if raw is not None else None
            if one is not None:
                yield one


class Household:
    """Answers which roles are there, asking Redis once a second at most, however many ask this process."""

    def __init__(self, server: redis.Redis, fresh: float = 1.0) -> None:
        self._server = server
        self._fresh = fresh
        self._asked = float("-inf")
        self._roles: frozenset[str] | None = None

    def reachable(self) -> bool:
        """Whether Redis answers."""
        return self._look() is not None

    def has(self, role: str) -> bool | None:
        """Whether a process of that role runs; None where Redis, which would know, does not answer."""
        roles = self._look()
        return None if roles is None else role in roles

    def _look(self) -> frozenset[str] | None:
        now = time.monotonic()
        if now - self._asked >= self._fresh:
            try:
                self._roles = frozenset(one.role for one in report(self._server))
            except redis.RedisError:
                self._roles = None
            # A question that took its time is fresh when it was answered, not when it was asked.
            self._asked = time.monotonic()
        return self._roles
