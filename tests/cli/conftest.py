"""The commands on the tests' own database, and programs of their own on fresh data folders."""

from __future__ import annotations

import os
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.db import connection

from tests.services.earshot import PROGRAM, Installation
from tests.services.mail import MailServer

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def installation(db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests' own database, where the command looks for a file."""
    file = tmp_path / "there.sqlite3"
    file.touch()
    if connection.vendor == "sqlite":
        monkeypatch.setenv("DATABASE_URL", f"sqlite:///{file}")
    monkeypatch.setenv("PUBLIC_URL", "https://earshot.example.org")


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Installation]:
    """A data folder and a port, and nothing on them yet."""
    made = Installation(tmp_path / "home")
    yield made
    made.stop()


def earshot(
    here: Installation, *words: str, typed: str | None = None, **environ: str
) -> subprocess.CompletedProcess[str]:
    """Run a command on an installation, as an operator would, with nobody at a terminal."""
    return subprocess.run(
        [PROGRAM, *words],
        env=here.environ | environ,
        input=typed,
        stdin=None if typed is not None else subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=200,
    )


def refused(done: subprocess.CompletedProcess[str]) -> str:
    """The one line of a refusal."""
    assert done.returncode == 1, done
    (line,) = done.stderr.splitlines()
    assert line.startswith("earshot: ")
    return line.removeprefix("earshot: ")


@pytest.fixture
def mailbox() -> Iterator[MailServer]:
    with MailServer() as server:
        yield server


class Databases:
    """New databases on the run's PostgreSQL, made by the house's role. They end with the run."""

    def __init__(self) -> None:
        import psycopg

        self.house = os.environ["TEST_FLEET_DATABASE_URL"].rpartition("/")[0]
        self.agents = os.environ["TEST_FLEET_AGENTS_DATABASE_URL"].rpartition("/")[0]
        self.connection = psycopg.connect(f"{self.house}/postgres", autocommit=True)

    def new(self) -> tuple[str, str]:
        """Make one; return the addresses by which house and agents reach it."""
        name = f"cli_{uuid.uuid4().hex[:12]}"
        self.connection.execute(f"CREATE DATABASE {name}")
        return f"{self.house}/{name}", f"{self.agents}/{name}"


@pytest.fixture
def databases() -> Iterator[Databases]:
    made = Databases()
    yield made
    made.connection.close()
