"""One PostgreSQL for the whole run and a Redis for each lane of a fleet's tests, started when a stage asks."""

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
        self._redises: list[Redis] = []

    @cached_property
    def postgres(self) -> Postgres:
        started = Postgres(self.home / "pg")
        started.start()
        return started

    @cached_property
    def test_database(self) -> dict[str, str]:
        """The settings by which tests run on PostgreSQL."""
        house, agents = self.postgres.database("earshot")
        return {"TEST_DATABASE": "postgresql", "DATABASE_URL": house, "AGENTS_DATABASE_URL": agents}

    def fleet(self, lane: str) -> dict[str, str]:
        """The settings by which tests of one lane start a fleet, on a database and a Redis of its own."""
        house, agents = self.postgres.database(f"fleet_{lane}")
        redis = self._redis(lane)
        settings = {
            "TEST_FLEET_DATABASE_URL": house,
            "TEST_FLEET_AGENTS_DATABASE_URL": agents,
            "TEST_REDIS_URL": redis.url,
            "TEST_AGENTS_REDIS_URL": redis.agents_url,
        }
        return {f"{name}_{lane}": value for name, value in settings.items()}

    def _redis(self, lane: str) -> Redis:
        started = Redis(self.home / f"redis-{lane}")
        started.start()
        self._redises.append(started)
        return started

    def stop(self) -> None:
        for redis in self._redises:
            redis.stop()
        if "postgres" in vars(self):
            self.postgres.stop()
        shutil.rmtree(self.home, ignore_errors=True)
