"""A database that takes connections and questions and answers none: whoever asks it gives up in time, and says so."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import psutil
import psycopg
import pytest

from tests.cli.conftest import earshot, refused
from tests.cli.test_move import filled, tables_of
from tests.conftest import fleet_environ
from tests.services.earshot import PROGRAM, Installation
from tests.services.postgres import Postgres

pytestmark = pytest.mark.fleet
#: An answer within five seconds, and a start of the command on a busy machine.
IN_TIME = 5 + 6
LATE = "does not answer within 5 s"
STOP = Path(__file__).with_name("stop_there.py")


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    # Not below the tests' own folders, which are for their owner alone: the server runs as another user.
    home = Path(tempfile.mkdtemp(prefix="earshot-stopped-"))
    started = Postgres(home / "pg")
    try:
        started.start()
        yield started
        go_on(started)
    finally:
        started.stop()
        shutil.rmtree(home, ignore_errors=True)


def processes(server: Postgres) -> list[int]:
    """Its processes, the one that starts the others first: it must not notice that they stop."""
    assert server.child is not None
    return [server.child.pid, *(one.pid for one in psutil.Process(server.child.pid).children(recursive=True))]


def tell(server: Postgres, what: signal.Signals) -> None:
    for pid in processes(server):
        # One that served a connection may have ended since it was counted.
        with suppress(ProcessLookupError):
            os.kill(pid, what)


def go_on(server: Postgres) -> None:
    tell(server, signal.SIGCONT)


@contextmanager
def stopped(server: Postgres) -> Iterator[None]:
    tell(server, signal.SIGSTOP)
    try:
        yield
    finally:
        go_on(server)


@pytest.fixture(scope="module")
def fleet(server: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    house, agents = server.database("standing")
    made = Installation(tmp_path_factory.mktemp("fleet"), fleet_environ())
    made.environ |= {"DATABASE_URL": house, "AGENTS_DATABASE_URL": agents}
    made.manage("migrate", "--verbosity", "0")
    yield made
    made.stop()


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    made = Installation(tmp_path_factory.mktemp("source"))
    filled(made, 20)
    return made


def test_status_says_so_in_time(fleet: Installation, server: Postgres):
    assert LATE not in earshot(fleet, "status").stderr
    with stopped(server):
        began = time.monotonic()
        done = earshot(fleet, "status")
        assert time.monotonic() - began < IN_TIME
    assert refused(done).endswith(f"; the database {LATE}")
    assert f"database  {LATE}" in done.stdout


def test_one_that_stops_in_the_middle_of_a_question_is_told_in_time(fleet: Installation, server: Postgres):
    """It has taken the connection and the question, which waits for a lock, and then says nothing more."""
    with psycopg.connect(fleet.environ["DATABASE_URL"]) as holder:
        holder.execute("LOCK TABLE mailbox_delivery IN ACCESS EXCLUSIVE MODE")
        asking = subprocess.Popen(
            [PROGRAM, "status"], env=fleet.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        while not waits(server):
            assert asking.poll() is None, asking.communicate()
            time.sleep(0.05)
        with stopped(server):
            began = time.monotonic()
            _, err = asking.communicate(timeout=30)
            assert time.monotonic() - began < IN_TIME
    assert asking.returncode == 1
    assert f"the database {LATE}" in err


def waits(server: Postgres) -> bool:
    return server.sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") != "0"


def test_check_says_so_in_time_and_looks_at_the_rest(fleet: Installation, server: Postgres):
    with stopped(server):
        began = time.monotonic()
        done = earshot(fleet, "check")
        assert time.monotonic() - began < IN_TIME
    assert done.returncode == 1
    assert f"FAILED  database         the database {LATE}" in done.stdout
    assert "ok      redis" in done.stdout
    assert "database" in refused(done)


def test_readiness_says_so_in_time_and_the_log_once_each_way(fleet: Installation, server: Postgres):
    web = fleet.start("web")
    web.wait_until(lambda: fleet.status("/healthz") == 200, "life")
    _, told = readyz(fleet)
    assert "database" not in told["missing"]
    with stopped(server):
        for _ in range(2):
            began = time.monotonic()
            status, told = readyz(fleet)
            assert time.monotonic() - began < 5
            assert (status, "database" in told["missing"]) == (503, True)
    web.wait_until(lambda: "database" not in readyz(fleet)[1]["missing"], "the database again", 20)
    assert "Service Unavailable" not in web.output()
    assert web.output().count("Not ready: ") == 1


def readyz(fleet: Installation) -> tuple[int, Any]:
    answer = httpx.get(f"{fleet.address}/readyz", timeout=10)
    return answer.status_code, answer.json()


def moved(
    source: Installation, server: Postgres, moment: str, what: str
) -> tuple[str, subprocess.CompletedProcess[str]]:
    """What a move comes to to which that happens at that moment, and where it went."""
    house, agents = server.database(f"moved_{uuid4().hex[:12]}")
    environ = source.environ | {"MOMENT": moment, "WHAT": what, "SERVER": str(processes(server)[0])}
    began = time.monotonic()
    try:
        done = subprocess.run(
            [sys.executable, STOP, "move", "--to", house, "--agents-to", agents],
            env=environ, capture_output=True, text=True, check=False, timeout=100,
        )  # fmt: skip
    finally:
        go_on(server)
    assert time.monotonic() - began < 60
    return house, done


def test_a_target_that_is_stopped_is_told_in_time(source: Installation, server: Postgres):
    house, agents = server.database(f"moved_{uuid4().hex[:12]}")
    with stopped(server):
        began = time.monotonic()
        done = earshot(source, "move", "--to", house, "--agents-to", agents)
        assert time.monotonic() - began < IN_TIME
    assert refused(done) == f"the database of --to {LATE}"


def test_a_move_that_is_interrupted_keeps_nothing_and_says_so(source: Installation, server: Postgres):
    house, done = moved(source, server, "copied", "interrupted")
    assert refused(done) == "interrupted; nothing was kept there"
    assert tables_of(house) == 0


def test_a_server_that_stops_in_the_middle_is_given_up_and_keeps_nothing(source: Installation, server: Postgres):
    house, done = moved(source, server, "copied", "stopped")
    assert refused(done) == "the database of --to does not answer any more; nothing was kept there"
    end = time.monotonic() + 10
    # What was not committed is taken back once the server finds its client gone.
    while tables_of(house):
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_server_that_stops_at_the_commit_leaves_it_open(source: Installation, server: Postgres):
    _, done = moved(source, server, "committing", "stopped")
    told = refused(done)
    assert told.startswith("the database of --to does not answer any more while it was to keep all rows")
    assert "nothing was kept there" not in told


def test_after_the_commit_the_rows_are_said_to_be_moved_and_what_remains(source: Installation, server: Postgres):
    house, done = moved(source, server, "finishing", "stopped")
    told = refused(done)
    assert told.startswith(
        "all rows are moved and verified, but the database of --to does not answer within 2 s; what remains is"
    )
    assert "`earshot check --fix`" in told
    assert "each the same on both sides" in done.stdout
    assert tables_of(house) > 20


def test_an_interrupt_after_the_commit_takes_nothing_back(source: Installation, server: Postgres):
    house, done = moved(source, server, "committed", "interrupted")
    assert "each the same on both sides" in done.stdout
    assert "nothing was kept" not in done.stderr
    assert tables_of(house) > 20
