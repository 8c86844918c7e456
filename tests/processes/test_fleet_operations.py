"""What a fleet tells those who operate it: readiness that is true within ten seconds, one sum of counters, JSON logs."""

from __future__ import annotations

import json
import os
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from collab.processes import presence
from messaging.mailbox import alive
from tests.conftest import fleet_environ
from tests.services.child import LOOPBACK, free_port
from tests.services.earshot import Installation
from tests.services.redis import Redis

pytestmark = pytest.mark.fleet
WITHIN = 10.0
ONE_OF_EACH = {"web": 2, "worker": 1, "agents": 1, "beat": 1}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Redis]:
    started = Redis(tmp_path_factory.mktemp("redis"))
    started.start()
    yield started
    started.stop()


@pytest.fixture(scope="module")
def fleet(server: Redis, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    """A fleet with a Redis of its own, so that no other test's processes count."""
    running = Installation(tmp_path_factory.mktemp("fleet"), fleet_environ()).unhurried()
    running.environ |= {"REDIS_URL": server.url, "AGENTS_REDIS_URL": server.agents_url}
    running.environ |= {"WEB_CONCURRENCY": "2", "LOG_FORMAT": "json", "METRICS_PORT": str(free_port())}
    try:
        running.fleet()
        yield running
    finally:
        running.stop()


def told(fleet: Installation) -> dict[str, Any]:
    found: dict[str, Any] = httpx.get(f"{fleet.address}/readyz", timeout=5).json()
    return found


def wait_for(fleet: Installation, missing: list[str], unknown: list[str] = [], within: float = WITHIN) -> float:  # noqa: B006
    """How long it took until readiness said exactly this."""
    began = time.monotonic()
    wanted = {"ready": not missing, "missing": missing, "unknown": unknown}
    # What else it tells is of placements, which have their own test.
    while not wanted.items() <= (found := told(fleet)).items():
        assert time.monotonic() - began < within + 1, found
        time.sleep(0.1)
    return time.monotonic() - began


def child(fleet: Installation, role: str) -> Any:
    return next(one for name, one in fleet.children.items() if name.startswith(role) and one.running())


def test_each_process_says_who_it_is(fleet: Installation, server: Redis):
    end = time.monotonic() + 20
    # The second web process may come up after the first has answered.
    while Counter(one.role for one in presence.report(alive.client(server.url))) != ONE_OF_EACH:
        assert time.monotonic() < end
        time.sleep(0.1)
    found = {one.role: one for one in presence.report(alive.client(server.url))}
    assert found["worker"].pid == child(fleet, "worker").pid
    assert found["agents"].pid == child(fleet, "agents").pid


def scrape(address: str) -> defaultdict[str, float]:
    """Each counter's sum over its labels, and each gauge by its queue."""
    found: defaultdict[str, float] = defaultdict(float)
    for family in text_string_to_metric_families(httpx.get(f"{address}/metrics", timeout=10).text):
        for sample in family.samples:
            found[sample.name + sample.labels.get("queue", "") + sample.labels.get("state", "")] += sample.value
    return found


def test_one_scrape_sums_all_processes_of_the_machine(fleet: Installation):
    """Two web processes count posts and the worker counts answers; whichever is asked tells the same."""
    port = f"http://{LOOPBACK}:{fleet.environ['METRICS_PORT']}"
    cast = fleet.tokens()
    before = scrape(port)
    headers = {"Authorization": f"Bearer {cast['tokens']['alex']}"}
    path = f"{fleet.address}/api/v1/sessions/welcome/messages"
    for n in range(20):
        # A connection each, so that both processes get some.
        body = {"text": f"canary {n}", "audience": "active_agent" if n < 2 else "participants"}
        said = httpx.post(path, json=body, headers=headers)
        if said.status_code == HTTPStatus.TOO_MANY_REQUESTS:
            # Others ask in the same name on this fleet.
            time.sleep(int(said.headers["Retry-After"]))
            said = httpx.post(path, json=body, headers=headers)
        assert said.status_code == HTTPStatus.CREATED, said.text
    end = time.monotonic() + 30
    while scrape(port)["earshot_turns_totalfinished"] - before["earshot_turns_totalfinished"] < 2:
        assert time.monotonic() < end
        time.sleep(0.1)
    scrapes = [scrape(port), *(scrape(fleet.address) for _ in range(6))]
    kept = {found["earshot_messages_total"] - before["earshot_messages_total"] for found in scrapes}
    assert kept == {22}
    assert {found["earshot_queue_rowsunposted"] for found in scrapes} == {0}
    assert {found["earshot_database_up"] for found in scrapes} == {1}
    counting = list(Path(fleet.home / "metrics").glob("counter_*.db"))
    assert 2 < len(counting) < 8


def test_what_the_dead_have_counted_stays_counted(fleet: Installation):
    before = scrape(fleet.address)["earshot_messages_total"]
    child(fleet, "worker").kill()
    assert scrape(fleet.address)["earshot_messages_total"] == before
    fleet.start("worker")
    wait_for(fleet, [], within=20)
    assert scrape(fleet.address)["earshot_messages_total"] == before


def test_the_dead_and_the_hanging_are_missed_and_their_successors_seen(fleet: Installation):
    for role in ("agents", "beat"):
        child(fleet, role).kill()
    hanging = child(fleet, "worker").pid
    os.kill(hanging, signal.SIGSTOP)
    try:
        assert wait_for(fleet, ["agents", "beat", "worker"]) < WITHIN
    finally:
        os.kill(hanging, signal.SIGCONT)
    for role in ("agents", "beat"):
        fleet.start(role)
    wait_for(fleet, [], within=20)


def test_a_process_that_stops_takes_its_leave_at_once(fleet: Installation):
    child(fleet, "beat").stop()
    assert wait_for(fleet, ["beat"]) < 3
    fleet.start("beat")
    wait_for(fleet, [], within=20)


@pytest.mark.parametrize("how", ["killed", "hangs"])
def test_redis_is_missed_and_nobody_pretends_to_know_the_rest(fleet: Installation, server: Redis, how: str):
    assert server.child is not None
    if how == "killed":
        server.child.kill()
    else:
        os.kill(server.child.pid, signal.SIGSTOP)
    took = wait_for(fleet, ["redis"], ["agents", "beat", "worker"])
    assert took < WITHIN
    if how == "killed":
        server.start()
    else:
        os.kill(server.child.pid, signal.SIGCONT)
    wait_for(fleet, [], within=20)


def test_every_line_of_every_log_is_one_json_object_without_text(fleet: Installation):
    """Also of the processes that were killed and of those that lost Redis."""
    lines = {name: one.output().splitlines() for name, one in fleet.children.items()}
    for name, written in lines.items():
        for line in written:
            found = json.loads(line)
            assert {"time", "level", "logger", "message", "process"} <= set(found), (name, line)
            assert "canary" not in line
    assert any("Redis" in line for written in lines.values() for line in written)


def test_a_web_server_alone_is_alive_and_not_ready(tmp_path: Path):
    apart = Redis(tmp_path / "redis")
    apart.start()
    lone = Installation(tmp_path / "home", fleet_environ() | {"REDIS_URL": apart.url}).unhurried()
    lone.environ["AGENTS_REDIS_URL"] = apart.agents_url
    try:
        web = lone.start("web")
        web.wait_until(lambda: lone.status("/healthz") == 200, "life")
        assert lone.status("/readyz") == 503
        assert told(lone)["missing"] == ["agents", "beat", "worker"]
    finally:
        lone.stop()
        apart.stop()
