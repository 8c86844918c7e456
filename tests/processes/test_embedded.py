"""`earshot up` as people run it: started, stopped, killed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import psutil
import pytest

from tests.services.child import Child
from tests.services.earshot import Installation

pytestmark = pytest.mark.processes


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder that outlives each start, as a real one does."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def here(home: Path) -> Iterator[Installation]:
    running = Installation(home)
    yield running
    running.stop()


def agents_of(child: Child) -> psutil.Process:
    end = time.monotonic() + 10
    while time.monotonic() < end:
        for process in psutil.Process(child.pid).children():
            if "messaging.agents" in process.cmdline():
                return process
        time.sleep(0.05)
    raise AssertionError("no process of agents")


def gone_within(process: psutil.Process, seconds: float) -> bool:
    try:
        process.wait(seconds)
    except psutil.TimeoutExpired:
        return False
    except psutil.NoSuchProcess:
        return True
    return True


def test_the_first_start_ends_in_a_link_that_opens(here: Installation):
    here.up()
    link = here.link()
    assert link.startswith(here.address)
    assert here.status(link.removeprefix(here.address)) == 200


def test_a_later_start_answers_within_five_seconds_and_ctrl_c_ends_it_as_soon(here: Installation):
    began = time.monotonic()
    child = here.up()
    assert time.monotonic() - began < 5
    assert child.stop(signal.SIGINT) < 5
    assert child.process.returncode == 0


def test_a_polite_end_is_as_quick(here: Installation):
    child = here.up()
    agents = agents_of(child)
    assert child.stop(signal.SIGTERM) < 5
    assert gone_within(agents, 1)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_after_a_polite_end_the_file_by_itself_is_everything(here: Installation, home: Path, tmp_path: Path, how: int):
    child = here.up()
    with httpx.Client(
        base_url=here.address, headers={"Authorization": f"Bearer {here.tokens()['tokens']['alex']}"}
    ) as alex:
        said = alex.post(
            "/api/v1/sessions/welcome/messages", json={"text": f"before {how}", "audience": "participants"}
        )
    assert said.status_code == 201
    child.stop(how)
    alone = Path(shutil.copy(home / "earshot.sqlite3", tmp_path / "alone.sqlite3"))
    with contextlib.closing(sqlite3.connect(alone)) as copy:
        rows = copy.execute("SELECT text FROM transcript_message WHERE seq = ?", [said.json()["seq"]]).fetchall()
    assert (f"before {how}",) in rows


def test_agents_do_not_outlive_a_killed_house(here: Installation):
    child = here.up()
    agents = agents_of(child)
    os.kill(child.pid, signal.SIGKILL)
    child.process.wait(5)
    assert gone_within(agents, 3)


def test_killed_agents_are_replaced(here: Installation):
    child = here.up()
    first = agents_of(child)
    first.kill()
    first.wait(5)
    assert agents_of(child).pid != first.pid
    child.wait_until(lambda: here.status("/readyz") == 200, "readiness")


def test_agents_are_given_no_secret_of_the_house(here: Installation):
    here.environ |= {
        "SECRET_KEY": "known-to-the-house-alone-" + "x" * 20,
        "EMAIL_URL": "smtp://u:p@127.0.0.1",
        "SOME_API_KEY": "sk-1",
    }
    found = agents_of(here.up()).environ()
    assert not {"SECRET_KEY", "EMAIL_URL", "DATABASE_URL", "EARSHOT_HOME"} & set(found)
    assert found["SOME_API_KEY"] == "sk-1"


def test_a_second_start_on_the_same_folder_is_refused(here: Installation, home: Path):
    here.up()
    second = Installation(home)
    child = second.start("up")
    assert child.process.wait(20) == 1
    assert "in use" in child.output()


def test_a_taken_port_is_told_at_once(here: Installation, tmp_path: Path):
    here.up()
    second = Installation(tmp_path, {"PORT": str(here.port)})
    child = second.start("up")
    assert child.process.wait(10) == 1
    assert "PORT" in child.output()


@pytest.mark.parametrize("name", ["EARSHOT_HOEM", "DEBUG"])
def test_an_unsafe_setting_stops_the_start(tmp_path: Path, name: str):
    child = Installation(tmp_path, {name: "what"}).start("up")
    assert child.process.wait(10) == 1
    assert child.output().startswith(f"earshot: {name} ")
    assert child.output().count("\n") == 1
