"""Pokes between the processes of a fleet, over Redis; a process's own listeners hear its own at once."""

from __future__ import annotations

import logging
import os
import secrets
import socket
import threading
from collections.abc import Iterable, Sequence
from typing import Any

import redis

from collab.processes.outbox import Outbox
from collab.processes.redis_door import PATIENCE, Listening
from messaging.journal import poke
from messaging.journal.poke import Poke

log = logging.getLogger(__name__)
#: Who says it, so that a process passes over its own words when they come back.
SENDER = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
#: Seconds in which pokes gather: a message for every commit would cost more than the pokes are worth.
MOMENT = 0.002


class PokesOut:
    """Publishes by an outbox: whoever commits never waits for Redis. What is lost, readers find."""

    def __init__(self, url: str) -> None:
        self._client = redis.Redis.from_url(url, socket_timeout=2, socket_connect_timeout=1)
        self._outbox: Outbox[Sequence[Poke]] = Outbox("pokes-out", self._publish, together=latest, moment=MOMENT)

    def send(self, pokes: Sequence[Poke]) -> None:
        """Tell this process, then the others; a `poke.Transport`."""
        poke.local(pokes)
        self._outbox.send(pokes)

    def close(self) -> None:
        """Stop; what still waits is dropped."""
        self._outbox.close()

    def _publish(self, pokes: Sequence[Poke]) -> None:
        try:
            self._client.publish(poke.CHANNEL, poke.encode(pokes, SENDER))
        except redis.RedisError as error:
            log.warning("pokes not published: %s", type(error).__name__)


def latest(commits: Iterable[Sequence[Poke]]) -> list[Poke]:
    """The last of each session, and of each turn that says something: a number tells of all before it."""
    return list({(one.session, one.turn): one for pokes in commits for one in pokes}.values())


class PokesIn(Listening):
    """Passes on what other processes say about sessions to the listeners of this one."""

    def __init__(self, url: str) -> None:
        super().__init__(url, "pokes-in")

    def listen(self, stopping: threading.Event) -> None:
        """Hear poke by poke."""
        client: Any = self.client
        with client.pubsub(ignore_subscribe_messages=True) as heard:
            heard.subscribe(poke.CHANNEL)
            while not stopping.is_set():
                message = heard.get_message(timeout=PATIENCE)
                self.well()
                if message and (told := poke.decode(message["data"])) and told[0] != SENDER:
                    poke.local(told[1])
