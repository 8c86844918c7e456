"""What every test may ask for: a database of the kind the run is about, and Earshot as a running program."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import pytest
from django.conf import settings
from django.db import connection
from django.test import TransactionTestCase

from messaging.transcript import triggers
from tests.services.earshot import Installation

# Playwright's synchronous face runs a loop in the test's thread; the tests' own queries there are meant.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"


# On a machine with other things to do, an example may take any time; what it says is what counts.
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")


_emptied: Callable[[TransactionTestCase], None] = TransactionTestCase._fixture_teardown  # type: ignore[attr-defined]


def _empty(case: TransactionTestCase) -> None:
    """What a test has committed is taken away: of the audit log, too, which refuses that of everybody else."""
    with connection.cursor() as cursor:
        for line in triggers.removal(connection.vendor):
            cursor.execute(line)
        if connection.vendor == "sqlite":
            # No model's table, so nobody else empties it.
            cursor.execute("DELETE FROM mailbox_words")
    # It ends in a signal of post_migrate, which installs them anew.
    _emptied(case)


TransactionTestCase._fixture_teardown = _empty  # type: ignore[attr-defined]

#: Where tests start a fleet. Of those that run beside each other each has its own, named `..._gw0` and so on.
FLEET = ("TEST_FLEET_DATABASE_URL", "TEST_FLEET_AGENTS_DATABASE_URL", "TEST_REDIS_URL", "TEST_AGENTS_REDIS_URL")


def pytest_configure(config: pytest.Config) -> None:
    """Make the folder that the test settings name, and take this lane's own servers."""
    Path(os.environ["TEST_HOME"]).mkdir(parents=True, exist_ok=True)
    lane = os.environ.get("PYTEST_XDIST_WORKER")
    for name in FLEET:
        if own := os.environ.get(f"{name}_{lane}"):
            os.environ[name] = own


def pytest_unconfigure(config: pytest.Config) -> None:
    """Take the folder away, once, when all workers are done."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ["TEST_HOME"], ignore_errors=True)


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """A running Earshot with the demo in it: a fleet where the run has Redis, else one process."""
    redis_url = os.environ.get("TEST_REDIS_URL")
    running = Installation(tmp_path_factory.mktemp("installation"), fleet_environ() if redis_url else None)
    try:
        if redis_url:
            running.fleet()
        else:
            running.up()
        yield running
    finally:
        running.stop()


def fleet_environ() -> dict[str, str]:
    """Return the settings of a fleet on the run's own servers, apart from the tests' own database."""
    return {
        "DATABASE_URL": os.environ["TEST_FLEET_DATABASE_URL"],
        "AGENTS_DATABASE_URL": os.environ["TEST_FLEET_AGENTS_DATABASE_URL"],
        "REDIS_URL": os.environ["TEST_REDIS_URL"],
        "AGENTS_REDIS_URL": os.environ["TEST_AGENTS_REDIS_URL"],
        "SECRET_KEY": settings.SECRET_KEY,
    }
