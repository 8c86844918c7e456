"""A Redis server that keeps nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.services.child import LOOPBACK, Child, answers, free_port


class Redis:
    """Started by `start`, reached at `url`, ended by `stop`."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.port = free_port()
        self.child: Child | None = None

    @property
    def url(self) -> str:
        return f"redis://{LOOPBACK}:{self.port}/0"

    def start(self) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        program = shutil.which("redis-server")
        if program is None:
            raise FileNotFoundError("redis-server")
        options = ["--port", str(self.port), "--bind", LOOPBACK, "--save", "", "--appendonly", "no"]
        self.child = Child([program, *options, "--dir", self.home], self.home / "redis.log")
        self.child.wait_until(lambda: answers(self.port), "Redis")

    def stop(self) -> None:
        if self.child:
            self.child.stop()
            self.child = None
