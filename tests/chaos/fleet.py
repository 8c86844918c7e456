"""A fleet with servers of its own. Whatever is killed here, or falls, is brought back here."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
from django.utils.crypto import get_random_string

from tests.chaos.plan import Kill
from tests.services.child import LOOPBACK, Child, free_port
from tests.services.earshot import Installation
from tests.services.postgres import DURABLE, Postgres
from tests.services.redis import Redis

ROLES = {"web": 2, "worker": 2, "agents": 2, "beat": 1}


class Fleet:
    """Two of each role (one beat), PostgreSQL as it is shipped, and Redis.

    `fell` tells what ended without being killed: no process may rely on being brought back.
    """

    def __init__(self, home: Path) -> None:
        self.postgres, self.redis = Postgres(home / "pg", DURABLE), Redis(home / "redis")
        self.installation = Installation(home / "home")
        self.ports = [free_port() for _ in range(ROLES["web"])]
        self.children: dict[str, Child] = {}
        self.born: dict[str, float] = {}
        self.killed: list[str] = []
        self.fell: list[str] = []

    @property
    def addresses(self) -> list[str]:
        """Where the web processes are reached."""
        return [f"http://{LOOPBACK}:{port}" for port in self.ports]

    def start(self) -> None:
        """Starts all of it and waits until every web process answers."""
        self.postgres.start()
        self.redis.start()
        self.house, agents = self.postgres.database("chaos")
        self.installation.environ |= {
            "DATABASE_URL": self.house,
            "AGENTS_DATABASE_URL": agents,
            "REDIS_URL": self.redis.url,
            "AGENTS_REDIS_URL": self.redis.agents_url,
            "SECRET_KEY": get_random_string(50),
        }
        self.installation.manage("migrate", "--verbosity", "0")
        self.installation.manage("seed_demo")
        for role, number in ROLES.items():
            for n in range(number):
                self.spawn(f"{role}-{n}")
        self.wait_ready()

    def spawn(self, name: str) -> None:
        """Starts one process, under the name and at the port that it always has."""
        role, _, n = name.partition("-")
        more = {"PORT": str(self.ports[int(n)])} if role == "web" else {}
        child = self.installation.start(role, **more)
        self.children[name], self.born[name] = child, time.monotonic()

    def wait_ready(self, patience: float = 60) -> None:
        """Waits until every web process says that all it needs is there."""
        for n in range(ROLES["web"]):
            self.installation.port = self.ports[n]
            self.installation.wait_ready(self.children[f"web-{n}"], patience)

    def kill(self, kind: str) -> Callable[[], None]:
        """Kills one of a kind: the longest-lived. The answer brings it back."""
        if kind == "postgres":
            self.postgres.crash()
            name, revive = kind, self.postgres.serve
        elif kind == "redis":
            self.redis.crash()
            name, revive = kind, self.redis.start
        else:
            name = min((name for name in self.children if name.startswith(kind)), key=self.born.__getitem__)
            self.children[name].kill()
            revive = partial(self.spawn, name)
        self.killed.append(name)
        return revive

    def follow(self, plan: list[Kill], acknowledged: Callable[[], int], patience: float) -> None:
        """Kills by the plan, one at a time, and brings back what died. Raises TimeoutError where posts stop."""
        for kill in plan:
            self._wait(acknowledged, kill.after, patience)
            time.sleep(kill.pause)
            revive = self.kill(kill.kind)
            time.sleep(kill.down)
            revive()

    def _wait(self, acknowledged: Callable[[], int], wanted: int, patience: float) -> None:
        end = time.monotonic() + patience
        while acknowledged() < wanted:
            self.lift()
            if time.monotonic() > end:
                raise TimeoutError(
                    f"{acknowledged()} posts, not {wanted}, {patience} s after killing {self.killed[-3:]}"
                )
            time.sleep(0.01)

    def lift(self) -> None:
        """Brings back what ended by itself, and remembers it."""
        for name, child in self.children.items():
            if not child.running():
                self.fell.append(f"{name} (answered {child.process.returncode}): {child.output()[-500:]}")
                self.spawn(name)

    def sql(self, statement: str) -> list[tuple[Any, ...]]:
        """Asks the database as the house."""
        with psycopg.connect(self.house) as connection:
            return connection.execute(statement).fetchall()

    def stop(self) -> None:
        """Ends all of it."""
        self.installation.stop()
        self.redis.stop()
        self.postgres.stop()
