"""A Redis server that keeps nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

import redis

from tests.services.child import LOOPBACK, Child, answers, free_port

AGENTS = "agents"


class Redis:
    """Started by `start`, reached at `url`, ended by `stop`."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.port = free_port()
        self.child: Child | None = None

    @property
    def url(self) -> str:
        return f"redis://{LOOPBACK}:{self.port}/0"

    @property
    def agents_url(self) -> str:
        """The address by which agents reach it, with rights on what is below their prefix alone."""
        return f"redis://{AGENTS}:{AGENTS}@{LOOPBACK}:{self.port}/0"

    def start(self) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        program = shutil.which("redis-server")
        if program is None:
            raise FileNotFoundError("redis-server")
        options = ["--port", str(self.port), "--bind", LOOPBACK, "--save", "", "--appendonly", "no"]
        rights = f"on >{AGENTS} ~agents:* &agents:* +@all -@admin -@dangerous"
        user = ["--user", AGENTS, *rights.split()]
        self.child = Child([program, *options, *user, "--dir", self.home], self.home / "redis.log")
        self.child.wait_until(lambda: answers(self.port), "Redis")

    def crash(self) -> None:
        """Kill the server; `start` brings an empty one back on the same port."""
        if self.child:
            self.child.kill()

    def flush(self) -> None:
        """Forget everything in it."""
        with redis.Redis.from_url(self.url) as client:
            client.flushall()

    def stop(self) -> None:
        if self.child:
            self.child.stop()
            self.child = None
