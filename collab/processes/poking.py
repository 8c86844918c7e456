"""Pokes between the processes of a fleet, over Redis; a process's own listeners hear its own at once."""

from __future__ import annotations

import logging
import os
import queue
import secrets
import socket
import threading
import time
from collections.abc import Sequence
from typing import Any
from uuid import UUID

import redis

from collab.processes.redis_door import PATIENCE, Listening
from messaging.journal import poke
from messaging.journal.poke import Poke

log = logging.getLogger(__name__)
#: Who says it, so that a process passes over its own words when they come back.
SENDER = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"
MOST_WAITING = 10_000
#: Seconds in which pokes gather: a message for every commit would cost more than the pokes are worth.
MOMENT = 0.002


class PokesOut:
    """Publishes from a thread of its own: whoever commits never waits for Redis. What is lost, readers find."""

    def __init__(self, url: str) -> None:
        self._client = redis.Redis.from_url(url, socket_timeout=2, socket_connect_timeout=1)
        self._waiting: queue.Queue[Sequence[Poke] | None] = queue.Queue(MOST_WAITING)
        self._thread = threading.Thread(target=self._run, name="pokes-out", daemon=True)
        self._thread.start()

    def send(self, pokes: Sequence[Poke]) -> None:
        """Tell this process, then the others; a `poke.Transport`."""
        poke.local(pokes)
        try:
            self._waiting.put_nowait(pokes)
        except queue.Full:
            log.warning("Pokes were dropped: Redis does not take any")

    def close(self) -> None:
        """Stop; what still waits is dropped."""
        try:
            self._waiting.put_nowait(None)
        except queue.Full:
            return  # the thread is a daemon and ends with the process

    def _run(self) -> None:
        while (pokes := self._gathered()) is not None:
            try:
                self._client.publish(poke.CHANNEL, poke.encode(pokes, SENDER))
            except redis.RedisError as error:
                log.warning("pokes not published: %s", type(error).__name__)

    def _gathered(self) -> list[Poke] | None:
        """What comes within a moment, the last number of each session; None when told to close."""
        first = self._waiting.get()
        if first is None:
            return None
        time.sleep(MOMENT)
        latest: dict[tuple[UUID, UUID | None], Poke] = {(one.session, one.turn): one for one in first}
        while True:
            try:
                more = self._waiting.get_nowait()
            except queue.Empty:
                return list(latest.values())
            if more is None:
                self._waiting.put_nowait(None)
                return list(latest.values())
            latest |= {(one.session, one.turn): one for one in more}


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
