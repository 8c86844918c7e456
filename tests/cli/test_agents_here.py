"""Which processes `earshot demo crash` may kill: what agents say in Redis is theirs to write."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from collab import environment
from collab.cli.agents_here import QUEUE, AgentsHere, agents_here
from collab.cli.main import Refused
from collab.processes import agents_environment, presence
from messaging.mailbox import alive
from messaging.mailbox.alive import Alive

FLEET = environment.read({"REDIS_URL": "redis://127.0.0.1:1", "SECRET_KEY": "x" * 40})
SLEEP = (sys.executable, "-c", "import time; time.sleep(60)")


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process of the same user that is none of ours."""
    yield from started()


@pytest.fixture
def agents() -> Iterator[subprocess.Popen[bytes]]:
    """One with the command line of a process of agents."""
    yield from started(*agents_environment.QUEUE_COMMAND)


def started(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    child = subprocess.Popen([*SLEEP, *words])
    yield child
    child.kill()
    child.wait()


def saying(monkeypatch: pytest.MonkeyPatch, *pids: int, **more: str) -> None:
    """Have agents say in Redis that they are these processes of this machine."""
    told: list[Alive] = [replace(alive.this_process("agents"), pid=pid, **more) for pid in pids]  # type: ignore[arg-type]
    monkeypatch.setattr(presence, "report", lambda _: told)


def test_what_agents_name_is_killed_where_it_is_one_of_them_and_left_alone_where_not(
    monkeypatch: pytest.MonkeyPatch, bystander: subprocess.Popen[bytes], agents: subprocess.Popen[bytes]
):
    saying(monkeypatch, 0, 1, os.getpid(), bystander.pid, agents.pid)
    with agents_here(FLEET) as here:
        assert here.pids == [agents.pid]
        here.kill()
    assert agents.wait(5) == -9
    assert bystander.poll() is None


def test_where_none_of_them_is_true_it_is_refused(monkeypatch: pytest.MonkeyPatch, bystander: subprocess.Popen[bytes]):
    saying(monkeypatch, 1, bystander.pid)
    with pytest.raises(Refused, match="is a process of agents here"), agents_here(FLEET):
        pass
    assert bystander.poll() is None


def test_others_on_another_machine_are_named(monkeypatch: pytest.MonkeyPatch, agents: subprocess.Popen[bytes]):
    saying(monkeypatch, agents.pid, host="elsewhere")
    with pytest.raises(Refused, match="agents run on elsewhere too"), agents_here(FLEET):
        pass
    assert agents.poll() is None


def test_a_number_that_has_become_somebody_else_s_is_not_killed(bystander: subprocess.Popen[bytes]):
    here = AgentsHere(FLEET)
    here.pids = [bystander.pid]
    with pytest.raises(Refused, match="has ended by itself"):
        here.kill()
    assert bystander.poll() is None


def test_the_words_are_those_of_a_fleet_s_process():
    assert QUEUE.startswith("-m celery -A messaging.agents.celery:app ")
