"""A fleet on PostgreSQL and Redis: each process apart, none needed for ever."""

from __future__ import annotations

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

from tests.conftest import fleet_environ
from tests.services.child import Child
from tests.services.earshot import Installation

pytestmark = pytest.mark.fleet
HOUSE_SECRETS = {"DATABASE_URL", "SECRET_KEY", "REDIS_URL", "EMAIL_URL", "EARSHOT_HOME"}


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    running = Installation(tmp_path_factory.mktemp("fleet"), fleet_environ())
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


def ask_mirror(fleet: Installation, cast: dict[str, Any], text: str) -> dict[str, Any]:
    """Ask as alex and wait for the fate of the question."""
    base = f"{fleet.address}/api/v1"
    headers = {"Authorization": f"Bearer {cast['tokens']['alex']}"}
    body = {"text": text, "audience": "active_agent"}
    with httpx.Client(base_url=base, headers=headers, timeout=10) as client:
        sent = client.post(f"/sessions/{cast['session']['id']}/messages", json=body)
        assert sent.status_code == 201, sent.text
        end = time.monotonic() + 30
        while True:
            message: dict[str, Any] = client.get(f"/messages/{sent.json()['id']}").json()
            fate = message["deliveries"][0]["disposition"]
            if fate not in ("accepted", "queued", "delivered") or time.monotonic() > end:
                return message
            time.sleep(0.05)


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
        asked = httpx.post(
            f"{fleet.address}/api/v1/sessions/{cast['session']['id']}/messages",
            headers={"Authorization": f"Bearer {cast['tokens']['sam']}"},
            json={"text": "lost?", "audience": "active_agent"},
            timeout=10,
        )
        assert asked.status_code == 201, asked.text
        time.sleep(0.3)
        client.flushall()
    finally:
        os.kill(agents.pid, signal.SIGCONT)
    assert fate_of(ask_mirror(fleet, cast, "after the loss")) == "responded"
    history = httpx.get(
        f"{fleet.address}/api/v1/messages/{asked.json()['id']}",
        headers={"Authorization": f"Bearer {cast['tokens']['sam']}"},
        timeout=10,
    ).json()
    assert fate_of(history) == "responded"


def test_of_several_beats_one_sends_each_tick(fleet: Installation):
    fleet.start("beat")
    client: Any = redis.Redis.from_url(fleet.environ["REDIS_URL"])
    sent: list[str] = []

    def watch() -> None:
        with client.monitor() as seen:
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
    apart = Installation(tmp_path, fleet_environ())
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
    apart = Installation(tmp_path, fleet_environ())
    child = apart.start(role)
    try:
        if role == "web":
            apart.wait_ready(child)
        else:
            time.sleep(3)
        assert child.running(), child.output()
        assert child.stop(number) < 5
    finally:
        apart.stop()
