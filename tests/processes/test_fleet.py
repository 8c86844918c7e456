"""A fleet on PostgreSQL and Redis: each process apart, none needed for ever."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest
import redis

from collab.processes import presence
from messaging.mailbox import alive
from tests.conftest import fleet_environ
from tests.services.child import Child
from tests.services.earshot import Installation
from tests.services.redis import Redis

pytestmark = pytest.mark.fleet
HOUSE_SECRETS = {"DATABASE_URL", "SECRET_KEY", "REDIS_URL", "EMAIL_URL", "EARSHOT_HOME"}


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    running = Installation(tmp_path_factory.mktemp("fleet"), fleet_environ()).unhurried()
    try:
        running.fleet()
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="module")
def cast(fleet: Installation) -> dict[str, Any]:
    return fleet.tokens()


def one(fleet: Installation, role: str) -> Child:
    """The youngest running process of that role."""
    found = [child for name, child in fleet.children.items() if name.startswith(role) and child.running()]
    return found[-1]


def as_alex(fleet: Installation, cast: dict[str, Any]) -> httpx.Client:
    headers = {"Authorization": f"Bearer {cast['tokens']['alex']}"}
    return httpx.Client(base_url=f"{fleet.address}/api/v1", headers=headers, timeout=10)


def post(fleet: Installation, cast: dict[str, Any], text: str) -> str:
    """Ask the agent; return the message's id."""
    body = {"text": text, "audience": "active_agent"}
    with as_alex(fleet, cast) as client:
        sent = client.post(f"/sessions/{cast['session']['id']}/messages", json=body)
    assert sent.status_code == 201, sent.text
    return str(sent.json()["id"])


def fate_after(fleet: Installation, cast: dict[str, Any], message_id: str) -> dict[str, Any]:
    """Wait until the message's fate is an end."""
    end = time.monotonic() + 60
    with as_alex(fleet, cast) as client:
        while True:
            message: dict[str, Any] = client.get(f"/messages/{message_id}").json()
            if fate_of(message) not in ("accepted", "queued", "delivered") or time.monotonic() > end:
                return message
            time.sleep(0.05)


def ask_mirror(fleet: Installation, cast: dict[str, Any], text: str) -> dict[str, Any]:
    """Ask the agent and wait for the fate of the question."""
    return fate_after(fleet, cast, post(fleet, cast, text))


def fate_of(message: dict[str, Any]) -> str:
    return str(message["deliveries"][0]["disposition"])


def test_a_question_is_answered_through_all_processes(fleet: Installation, cast: dict[str, Any]):
    assert fate_of(ask_mirror(fleet, cast, "who is there?")) == "responded"


def test_agents_hold_nothing_of_the_house(fleet: Installation):
    found = psutil.Process(one(fleet, "agents").pid).environ()
    assert not HOUSE_SECRETS & set(found)
    assert found["AGENTS_DATABASE_URL"] == fleet.environ["AGENTS_DATABASE_URL"]
    # The twin: the house's own process shows them, so the look above can see.
    assert set(psutil.Process(one(fleet, "worker").pid).environ()) >= HOUSE_SECRETS - {"EMAIL_URL"}


def test_agents_reach_their_own_keys_alone(fleet: Installation):
    agents = redis.Redis.from_url(fleet.environ["AGENTS_REDIS_URL"])
    assert agents.set("agents:mine", "1")
    for key in ("earshot:house", "session"):
        with pytest.raises(redis.exceptions.NoPermissionError):
            agents.lrange(key, 0, -1)
    with pytest.raises(redis.exceptions.NoPermissionError):
        agents.publish("earshot:pokes", "1")


def test_an_answer_needs_no_particular_worker(fleet: Installation, cast: dict[str, Any]):
    one(fleet, "worker").kill()
    fleet.start("worker")
    assert fate_of(ask_mirror(fleet, cast, "and now?")) == "responded"


def test_an_answer_needs_no_particular_process_of_agents(fleet: Installation, cast: dict[str, Any]):
    one(fleet, "agents").kill()
    fleet.start("agents")
    assert fate_of(ask_mirror(fleet, cast, "still there?")) == "responded"


def test_an_emptied_queue_loses_nothing(fleet: Installation, cast: dict[str, Any]):
    """Everything that waits in Redis goes away at the worst time; the sweep finds the row."""
    client = redis.Redis.from_url(fleet.environ["REDIS_URL"])
    agents = one(fleet, "agents")
    os.kill(agents.pid, signal.SIGSTOP)
    try:
        asked = post(fleet, cast, "lost?")
        time.sleep(0.3)
        client.flushall()
    finally:
        os.kill(agents.pid, signal.SIGCONT)
    assert fate_of(fate_after(fleet, cast, asked)) == "responded"


def test_posts_are_accepted_while_redis_is_away_and_answered_when_it_is_back(tmp_path: Path):
    server = Redis(tmp_path / "redis")
    server.start()
    apart = Installation(tmp_path / "home", fleet_environ()).unhurried()
    apart.environ |= {"REDIS_URL": server.url, "AGENTS_REDIS_URL": server.agents_url}
    try:
        apart.fleet()
        known = apart.tokens()
        assert fate_of(ask_mirror(apart, known, "before")) == "responded"
        server.stop()
        began = time.monotonic()
        sent = post(apart, known, "in between")
        assert time.monotonic() - began < 5
        server.start()
        assert fate_of(fate_after(apart, known, sent)) == "responded"
        assert all(child.running() for child in apart.children.values())
    finally:
        apart.stop()
        server.stop()


def test_of_several_beats_one_sends_each_tick(fleet: Installation):
    fleet.start("beat")
    client: Any = redis.Redis.from_url(fleet.environ["REDIS_URL"])
    sent: list[str] = []

    def watch() -> None:
        # It outlives the test, until Redis has been quiet for a while.
        with contextlib.suppress(redis.RedisError), client.monitor() as seen:
            sent.extend(
                entry["command"]
                for entry in seen.listen()
                if entry["command"].startswith("LPUSH earshot:house") and "tasks.sweep" in entry["command"]
            )

    # `extend` takes each command as it comes, for as long as the test lasts.
    threading.Thread(target=watch, daemon=True).start()
    time.sleep(12)
    assert 2 <= len(sent) <= 3


def test_several_web_processes_share_a_port_and_end_with_their_supervisor(fleet: Installation, tmp_path: Path):
    apart = Installation(tmp_path, fleet_environ()).unhurried()
    try:
        child = apart.start("web", WEB_CONCURRENCY="2")
        apart.wait_ready(child)
        servers = psutil.Process(child.pid).children(recursive=True)
        os.kill(child.pid, signal.SIGKILL)
        child.process.wait(5)
        _, alive = psutil.wait_procs(servers, timeout=6)
        assert [process for process in alive if process.status() != psutil.STATUS_ZOMBIE] == []
    finally:
        apart.stop()


@pytest.mark.parametrize("role", ["web", "worker", "agents", "beat"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["term", "int"])
def test_each_process_stops_in_time(fleet: Installation, role: str, number: signal.Signals, tmp_path: Path):
    apart = Installation(tmp_path, fleet_environ()).unhurried()
    child = apart.start(role)
    try:
        server = alive.client(fleet.environ["REDIS_URL"])
        up = f"{role} {child.pid}"
        child.wait_until(lambda: up in [f"{one.role} {one.pid}" for one in presence.report(server)], "its sign of life")
        if role == "web":
            apart.wait_ready(child)
        assert child.running(), child.output()
        assert child.stop(number) < 5
    finally:
        apart.stop()
