"""One PostgreSQL and one Redis for the whole run, started when the first stage asks."""

from __future__ import annotations

import shutil
import tempfile
from functools import cached_property
from pathlib import Path

from tests.services.postgres import Postgres
from tests.services.redis import Redis


class Servers:
    """Ends whatever it started, also when a stage fails."""

    def __init__(self) -> None:
        # Short, because a Unix socket's path has room for about a hundred signs.
        self.home = Path(tempfile.mkdtemp(prefix="earshot-run-"))

    @cached_property
    def postgres(self) -> Postgres:
        started = Postgres(self.home / "pg")
        started.start()
        return started

    @cached_property
    def redis(self) -> Redis:
        started = Redis(self.home / "redis")
        started.start()
        return started

    @cached_property
    def test_database(self) -> dict[str, str]:
        """The settings by which tests run on PostgreSQL."""
        house, agents = self.postgres.database("earshot")
        return {"TEST_DATABASE": "postgresql", "DATABASE_URL": house, "AGENTS_DATABASE_URL": agents}

    @cached_property
    def fleet(self) -> dict[str, str]:
        """The settings by which tests start a fleet on a database of its own."""
        house, agents = self.postgres.database("fleet")
        return {
            "TEST_FLEET_DATABASE_URL": house,
            "TEST_FLEET_AGENTS_DATABASE_URL": agents,
            "TEST_REDIS_URL": self.redis.url,
            "TEST_AGENTS_REDIS_URL": self.redis.agents_url,
        }

    def stop(self) -> None:
        for name in ("redis", "postgres"):
            if name in vars(self):
                vars(self)[name].stop()
        shutil.rmtree(self.home, ignore_errors=True)
