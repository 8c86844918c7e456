"""What every test may ask for: a database of the kind the run is about, and Earshot as a running program."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from django.conf import settings
from django.test import TransactionTestCase

from tests import database, demo
from tests.services.earshot import Installation

# Playwright's synchronous face runs a loop in the test's thread; the tests' own queries there are meant.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"


# On a machine with other things to do, an example may take any time; what it says is what counts.
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")


THE_TESTS_OWN = database.Database()


def _empty(case: TransactionTestCase) -> None:
    THE_TESTS_OWN.empty(case)


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


def pytest_addoption(parser: pytest.Parser) -> None:
    words = "only tests that ask for the database: for a run on a second kind of it"
    parser.addoption("--of-database", action="store_true", help=words)


APART = pytest.StashKey[int]()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out, of what the markers have left, whatever would do the very same on every database."""
    if not config.getoption("--of-database"):
        return
    apart = [item for item in items if not database.asks(item)]
    items[:] = [item for item in items if database.asks(item)]
    config.hook.pytest_deselected(items=apart)
    config.stash[APART] = len(apart)
    if hasattr(config, "workeroutput"):
        config.workeroutput["apart"] = len(apart)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """A lane tells how many it has left out: the same in each."""
    node.config.stash[APART] = getattr(node, "workeroutput", {}).get("apart", 0)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if apart := config.stash.get(APART, 0):
        terminalreporter.write_line(f"{apart} left out that ask for no database")


def pytest_unconfigure(config: pytest.Config) -> None:
    """Take the folder away, once, when all workers are done."""
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ["TEST_HOME"], ignore_errors=True)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """As `pytest-django` makes it; what it is like then is what each test finds."""
    with django_db_blocker.unblock():
        THE_TESTS_OWN.remember()
        demo.remember()
    yield
    with django_db_blocker.unblock():
        database.hang_up()


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """A running Earshot with the demo in it: a fleet where the run has Redis, else one process."""
    redis_url = os.environ.get("TEST_REDIS_URL")
    running = Installation(tmp_path_factory.mktemp("installation"), fleet_environ() if redis_url else None)
    running.unhurried()
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
