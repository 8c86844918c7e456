"""Tells every web process that a session has moved on: a number, never content.

A lost poke loses nothing: whoever reads next reads from its own number on.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

import redis
from django.db import transaction

log = logging.getLogger(__name__)
CHANNEL = "earshot:pokes"


@dataclass(frozen=True, slots=True)
class Poke:
    """The session has reached `seq`; or, with `turn`, that turn has said another piece."""

    session: UUID
    seq: int = 0
    turn: UUID | None = None


Transport: TypeAlias = Callable[[Poke], None]


def encode(poke: Poke) -> bytes:
    """The payload between processes."""
    return json.dumps({"s": str(poke.session), "n": poke.seq, "t": str(poke.turn) if poke.turn else None}).encode()


def decode(raw: bytes) -> Poke | None:
    """The poke, or None for what is none."""
    try:
        data = json.loads(raw)
        return Poke(UUID(data["s"]), int(data["n"]), UUID(data["t"]) if data["t"] else None)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


class Local:
    """Within one process: calls whoever listens. Listeners must not block; they may be called from any thread."""

    def __init__(self) -> None:
        self.listeners: list[Transport] = []

    def __call__(self, poke: Poke) -> None:
        """Hands the poke to each listener."""
        for listener in tuple(self.listeners):
            listener(poke)


class Redis:
    """Between processes: publishes. With Redis away the sockets' own periodic reading catches up."""

    def __init__(self, url: str) -> None:
        self.client = redis.Redis.from_url(url, socket_timeout=2, socket_connect_timeout=1)

    def __call__(self, poke: Poke) -> None:
        """Publishes; a failure is logged by its kind alone."""
        try:
            self.client.publish(CHANNEL, encode(poke))
        except redis.RedisError as error:
            log.warning("poke not published: %s", type(error).__name__)


local = Local()
_transport: Transport = local


def install(transport: Transport) -> None:
    """Sets how this process pokes."""
    global _transport
    _transport = transport


def after_commit(session: UUID, seq: int) -> None:
    """Pokes once the transaction has committed; never where it rolls back."""
    transaction.on_commit(lambda: _transport(Poke(session, seq)))


def piece(session: UUID, turn: UUID) -> None:
    """Pokes at once: a turn has said another piece."""
    _transport(Poke(session, turn=turn))
