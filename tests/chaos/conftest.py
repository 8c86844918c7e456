"""One fleet for all tests that kill, and how much of it there is to be."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.chaos import cast
from tests.chaos.cast import Person
from tests.chaos.fleet import Fleet
from tests.models.plays import Say
from tests.models.server import ModelServer

PEOPLE, VICTIMS = 20, 8
#: A stretch of talk that takes long enough to be killed in.
ANSWER = Say(("I ", "heard ", "that."), pause=0.1)


@dataclass(frozen=True)
class Size:
    """How much is done; CHAOS_SEED, CHAOS_POSTS, CHAOS_KILLS and CHAOS_GONE in the environment say otherwise."""

    seed: int
    posts: int
    kills: int
    gone: float


@pytest.fixture(scope="session")
def size() -> Size:
    def given(name: str, otherwise: int) -> int:
        return int(os.environ.get(name) or otherwise)

    return Size(
        given("CHAOS_SEED", int(time.time())),
        given("CHAOS_POSTS", 180),
        given("CHAOS_KILLS", 7),
        given("CHAOS_GONE", 5),
    )


@pytest.fixture(scope="session")
def model() -> Iterator[ModelServer]:
    with ModelServer(ANSWER) as server:
        yield server


@pytest.fixture(scope="session")
def fleet() -> Iterator[Fleet]:
    # Not a folder of pytest's: those are closed to the user that PostgreSQL runs as.
    home = Path(tempfile.mkdtemp(prefix="earshot-chaos-"))
    running = Fleet(home)
    try:
        running.start()
        yield running
    finally:
        running.stop()
        shutil.rmtree(home, ignore_errors=True)


@pytest.fixture(scope="session")
def everybody(fleet: Fleet) -> tuple[Person, list[Person]]:
    """The owner and all others."""
    return cast.people(fleet.installation, PEOPLE + VICTIMS)


@pytest.fixture(scope="session")
def people(everybody: tuple[Person, list[Person]]) -> tuple[Person, list[Person]]:
    """The owner and twenty others, who keep their access."""
    owner, others = everybody
    return owner, others[:PEOPLE]


@pytest.fixture(scope="session")
def victims(everybody: tuple[Person, list[Person]]) -> list[Person]:
    """Those who lose it, each once."""
    return everybody[1][PEOPLE:]


@pytest.fixture
def show(capfd: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    """Prints a line that is seen whether or not the test passes: a seed that is not seen is no seed."""

    def line(text: str) -> None:
        with capfd.disabled():
            sys.stdout.write(f"\n{text}\n")
            sys.stdout.flush()

    return line
