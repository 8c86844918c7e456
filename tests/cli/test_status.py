"""What `earshot status` tells, on a terminal and to programs."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
import redis as redis_library

from collab import environment
from collab.cli.main import main
from collab.cli.status import in_json, lines
from collab.processes import schema, status
from collab.processes.status import Process, Status, age, held
from collab.processes.waiting import Holder, Queue
from messaging.actions.enrol import add_agent
from tests.cast import Room
from tests.cli.conftest import Databases, earshot, refused
from tests.conftest import fleet_environ
from tests.services.earshot import Installation

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
BUSY = Status(
    NOON,
    embedded=False,
    database="PostgreSQL 15 at h/earshot, as house",
    pending=(),
    redis=True,
    processes=(
        Process("web", "one", 12, "0.1.0", NOON - timedelta(hours=2)),
        Process("agents", "one", 13, "0.1.0", None),
    ),
    queues=(Queue("uncleared", 0, None), Queue("unclaimed", 3, NOON - timedelta(seconds=75))),
    turns=(
        Holder("mirror", UUID(int=1), UUID(int=2), 2, NOON - timedelta(seconds=8), UUID(int=3), NOON, None),
        Holder("scout", UUID(int=1), UUID(int=4), 1, NOON - timedelta(days=2), None, None, NOON),
    ),
    missing=("worker",),
)


def test_a_person_reads_lines():
    told = "\n".join(lines(BUSY))
    assert "web      one                        12  0.1.0      since 2026-01-01 10:00:00" in told
    assert "agents   one                        13  0.1.0\n" in told
    assert "       3 questions that no agent has taken yet  the oldest for 1 min" in told
    assert "mirror           for 8 s, attempt 2, held by 00000000-0000-0000-0000-000000000003 until 12:00:00" in told
    assert "scout            for 2 d, attempt 1, waits for its next attempt, due at 12:00:00" in told


def test_a_process_of_agents_says_whom_it_serves_and_who_is_served_by_nobody_is_named():
    placed = (*BUSY.processes, Process("agents", "two", 14, "0.1.0", NOON, "gpu"))
    told = "\n".join(lines(replace(BUSY, processes=placed)))
    assert "agents   two                        14  0.1.0      since 2026-01-01 12:00:00  at gpu" in told
    assert "nobody runs" not in told
    told = "\n".join(
        lines(replace(BUSY, placements={"": ["mirror"], "cpu": ["clerk", "thinker"]}, unserved=("", "cpu")))
    )
    assert "nobody runs mirror: `earshot agents` is missing" in told
    assert "nobody runs clerk, thinker: `earshot agents --placement cpu` is missing" in told


def test_what_agents_want_and_nobody_serves_is_missing(installation: None, monkeypatch: pytest.MonkeyPatch):
    for handle, placement in (("plain", ""), ("thinker", "gpu")):
        add_agent(handle, kind="hosted", provider="mirror", placement=placement)
    there = tuple(Process(role, "one", 1, "0", NOON) for role in ("web", "worker", "agents", "beat"))
    found = environment.read(dict(os.environ) | {"REDIS_URL": "redis://127.0.0.1:1", "SECRET_KEY": "x" * 40})

    def missing(*processes: Process) -> tuple[str, ...]:
        monkeypatch.setattr(status, "_fleet", lambda _: (True, processes))
        return status.look(found).missing

    assert missing(*there) == ("agents at gpu",)
    gpu = Process("agents", "two", 2, "0", NOON, "gpu")
    assert missing(*there, gpu) == ()
    assert missing(*(one for one in there if one.role != "agents"), gpu) == ("agents without a placement",)
    assert missing(*(one for one in there if one.role != "agents")) == ("agents",)


def test_a_pause_of_all_agents_is_said_and_none_is_not():
    assert "paused" not in "\n".join(lines(BUSY))
    told = "\n".join(lines(replace(BUSY, paused=NOON)))
    assert "agents    paused since 2026-01-01 12:00:00 UTC" in told
    assert json.loads(json.dumps(in_json(replace(BUSY, paused=NOON)), default=str))["paused"].startswith("2026-01-01")


def test_a_program_reads_one_object():
    told = json.loads(json.dumps(in_json(BUSY), default=str))
    assert told["queues"][1] | {"oldest": None} == {
        "name": "unclaimed", "rows": 3, "oldest": None, "oldest_seconds": 75.0,
    }  # fmt: skip
    assert told["turns"][0]["lease_owner"] == "00000000-0000-0000-0000-000000000003"
    assert told["missing"] == ["worker"]


@pytest.mark.parametrize(
    ("seconds", "told"), [(-1, "0 s"), (59, "59 s"), (60, "1 min"), (7200, "2 h"), (90_000, "1 d")]
)
def test_ages_are_told_in_their_largest_unit(seconds: int, told: str):
    assert age(NOON, NOON - timedelta(seconds=seconds)) == told


def test_a_turn_without_a_lease_and_a_time_waits():
    assert held(Holder("m", UUID(int=1), UUID(int=2), 1, NOON, None, None, None)) == "waits for its next attempt"


def test_rows_are_told_and_what_is_missing_makes_it_1(
    installation: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    Room.open().say("alex", "a question", "active_agent")
    assert main(["status", "--json"]) == 1
    out, err = capsys.readouterr()
    assert err == "earshot: missing: up, agents; nothing runs on this data folder, `earshot up` starts it\n"
    told = json.loads(out)
    assert {queue["name"]: queue["rows"] for queue in told["queues"]}["unclaimed"] == 1
    assert "a question" not in out


def test_a_database_without_its_tables_is_told(installation: None, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(schema, "pending", lambda: ("journal.0002_more",))
    seen = status.look(environment.read(os.environ))
    assert (seen.pending, seen.queues, "migrations" in seen.missing) == (("journal.0002_more",), (), True)
    assert "1 migrations to apply, first journal.0002_more" in "\n".join(lines(seen))


def test_with_redis_away_nobody_is_called_missing_but_redis(installation: None):
    environ = {"REDIS_URL": "redis://127.0.0.1:1", "SECRET_KEY": "x" * 40}
    seen = status.look(environment.read(dict(os.environ) | environ))
    assert seen.missing == ("redis",)


@pytest.mark.fleet
def test_each_process_of_a_fleet_is_told_and_missed_when_it_dies(own: Installation, databases: Databases):
    house, agents = databases.new()
    server = redis_library.Redis.from_url(os.environ["TEST_REDIS_URL"])
    number = server.connection_pool.connection_kwargs.get("db", 0) + 7
    base = fleet_environ()
    urls = {name: f"{base[name].rpartition('/')[0]}/{number}" for name in ("REDIS_URL", "AGENTS_REDIS_URL")}
    own.environ |= base | urls | {"DATABASE_URL": house, "AGENTS_DATABASE_URL": agents}
    started = own.fleet()
    started["web"].wait_until(lambda: earshot(own, "status").returncode == 0, "all processes", 60)
    told = json.loads(earshot(own, "status", "--json").stdout)
    assert {(one["role"], one["pid"]) for one in told["processes"]} == {
        (role, child.pid) for role, child in started.items()
    }
    os.kill(started["worker"].pid, signal.SIGKILL)
    started["web"].wait_until(lambda: earshot(own, "status").returncode == 1, "the worker to be missed", 20)
    assert refused(earshot(own, "status")) == "missing: worker"
    own.start("worker")
    started["web"].wait_until(lambda: earshot(own, "status").returncode == 0, "the new worker", 60)
