"""A process says that it runs, again and again, by a key in Redis that ends soon after it does.

Both sides of the wall say it the same way, each below its own prefix.
"""

from __future__ import annotations

import json
import logging
import os
import socket
import threading
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from messaging.domain.dispatch import PLACEMENT

log = logging.getLogger(__name__)
EVERY_SECONDS = 3.0
#: A killed process is missed after this long: three times unheard, and gone within ten seconds for who asks.
KEPT_MS = 9_000
#: The bytes of what is said, and the characters of a name in it: whoever reads it reads no more.
LONGEST = 1024
LONGEST_WORD = 64
HIGHEST_PID = 2**31 - 1
#: Longer than an answer takes on a busy machine, shorter than whoever asks for readiness would wait.
PATIENCE = 1.0


@dataclass(frozen=True, slots=True)
class Alive:
    """A process that runs: its role, the machine's name, its number there, its version, its start (UTC).

    `placement`: of agents, whose seats it serves.
    """

    role: str
    host: str
    pid: int
    version: str
    since: datetime
    placement: str = ""


def client(url: str) -> redis.Redis:
    """A client that tries once and gives up within a second: whoever asks would rather know than wait."""
    once = Retry(NoBackoff(), 0)
    return redis.Redis.from_url(url, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE, retry=once)


def this_host() -> str:
    """This machine's name, as its processes say it."""
    return socket.gethostname()[:LONGEST_WORD]


def this_process(role: str, placement: str = "") -> Alive:
    """This process in that role, begun now."""
    now = datetime.now(UTC)
    return Alive(role, this_host(), os.getpid(), version("earshot")[:LONGEST_WORD], now, placement)


def key(prefix: str, one: Alive) -> str:
    """The key that it is known by."""
    return f"{prefix}{one.role}:{one.host}:{one.pid}"


def encode(one: Alive) -> str:
    """What lies under the key: JSON."""
    told = {"host": one.host, "pid": one.pid, "version": one.version, "since": one.since.isoformat()}
    return json.dumps(told | ({"placement": one.placement} if one.placement else {}))


def decode(role: str, raw: bytes | str) -> Alive | None:
    """The process of that role, or None for what tells of none: its writer may be anybody's code.

    The role follows from where it lay, not from what it says. The number is one that a process can have, which
    does not make it that process's: in a container it may well be 1.
    """
    if len(raw) > LONGEST:
        return None
    try:
        data = json.loads(raw)
        since = datetime.fromisoformat(data["since"])
        since_utc, placement = since.astimezone(UTC), data.get("placement", "")
        told = Alive(role, data["host"], data["pid"], data["version"], since_utc, placement)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None
    words = _is_word(told.role, told.host, told.version)
    return told if since.tzinfo is not None and _is_number(told.pid) and words and _is_place(placement) else None


def _is_number(pid: object) -> bool:
    # A truth is a number, too, to Python.
    return type(pid) is int and 0 < pid <= HIGHEST_PID


def _is_word(*texts: object) -> bool:
    """What may stand on a terminal: no line break, no escape, nothing that turns the line around."""
    return all(isinstance(text, str) and 0 < len(text) <= LONGEST_WORD and text.isprintable() for text in texts)


def _is_place(placement: object) -> bool:
    return placement == "" or (isinstance(placement, str) and PLACEMENT.fullmatch(placement) is not None)


class Heartbeat:
    """Says so from a thread of its own until it is stopped, and then takes it back."""

    def __init__(
        self, server: redis.Redis, prefix: str, role: str, every: float = EVERY_SECONDS, placement: str = ""
    ) -> None:
        one = this_process(role, placement)
        self._server = server
        self._key, self._told = key(prefix, one), encode(one)
        self._every = every
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="heartbeat", daemon=True)

    def start(self) -> None:
        """Begins to say it."""
        self._thread.start()

    def stop(self) -> None:
        """Ends, and takes the key away, so that who asks next is told at once."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(1.0)
        try:
            self._server.delete(self._key)
        except redis.RedisError:
            return  # it ends by itself

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._server.set(self._key, self._told, px=KEPT_MS)
            except redis.RedisError as error:
                # Whoever asks finds Redis away, too. Once it is back, so is the key within one round.
                log.info("could not say in Redis that this process runs (%s)", type(error).__name__)
            self._stopping.wait(self._every)
