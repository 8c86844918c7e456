"""A fleet with two placements: who serves what, what is refused where nobody does, and what an operator is told."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from tests.conftest import fleet_environ
from tests.services.child import Child
from tests.services.earshot import PROGRAM, Installation

pytestmark = pytest.mark.fleet


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    running = Installation(tmp_path_factory.mktemp("placements"), fleet_environ()).unhurried()
    try:
        running.fleet()
        yield running
    finally:
        running.stop()


@pytest.fixture(scope="module")
def cast(fleet: Installation) -> dict[str, Any]:
    return fleet.tokens()


@pytest.fixture(scope="module")
def alex(fleet: Installation, cast: dict[str, Any]) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {cast['tokens']['alex']}"}
    with httpx.Client(base_url=f"{fleet.address}/api/v1", headers=headers, timeout=10) as client:
        yield client


def until(ready: Any, seconds: float = 30) -> Any:
    end = time.monotonic() + seconds
    while not (found := ready()) and time.monotonic() < end:
        time.sleep(0.1)
    assert found
    return found


def place(fleet: Installation, name: str, number: int) -> Child:
    """Another process of agents, which serves a placement; named on the command line."""
    child = Child([PROGRAM, "agents", "--placement", name], fleet.home / f"agents-{name}-{number}.log", fleet.environ)
    fleet.children[f"agents-{name}-{number}"] = child
    return child


def ready(fleet: Installation) -> dict[str, Any]:
    found: dict[str, Any] = httpx.get(f"{fleet.address}/readyz", timeout=5).json()
    return found


def status(fleet: Installation) -> dict[str, Any]:
    done = subprocess.run([PROGRAM, "status", "--json"], env=fleet.environ, capture_output=True, text=True, check=False)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def ask(alex: httpx.Client, cast: dict[str, Any], handle: str) -> httpx.Response:
    body = {"text": "who runs you?", "audience": f"agent:{handle}", "dispatch": "future_turn"}
    return alex.post(f"/sessions/{cast['session']['id']}/messages", json=body)


def responded(alex: httpx.Client, message: str) -> bool:
    return bool(alex.get(f"/messages/{message}").json()["deliveries"][0]["disposition"] == "responded")


@pytest.fixture
def placed(cast: dict[str, Any], alex: httpx.Client) -> Iterator[tuple[str, str]]:
    """The handle and the placement of an agent, which goes back to those that have none: others share the database."""
    handle, where = f"thinker{os.getpid()}", f"gpu{os.getpid()}"
    made = {"handle": handle, "kind": "hosted", "provider": "mirror", "placement": where}
    assert alex.post("/agents", json=made).json()["placement"] == where
    alex.post(f"/sessions/{cast['session']['id']}/members", json={"handle": handle})
    yield handle, where
    assert alex.patch(f"/agents/{handle}", json={"placement": ""}).status_code == 200


def test_each_placement_by_its_own_process(
    fleet: Installation, cast: dict[str, Any], alex: httpx.Client, placed: tuple[str, str]
):
    """One after the other: nobody serves it, somebody does, nobody does any more; the others never notice."""
    handle, where = placed
    # A web process knows within some seconds who serves what.
    until(lambda: where in ready(fleet).get("unserved", []))
    refused = ask(alex, cast, handle)
    assert (refused.status_code, refused.json()["code"]) == (422, "placement")
    targets = alex.get(f"/sessions/{cast['session']['id']}/targets").json()["agents"]
    assert handle not in {one["id"] for one in targets}
    assert f"agents at {where}" in status(fleet)["missing"]

    one = place(fleet, where, 1)
    until(lambda: where in ready(fleet)["placements"])
    assert where not in ready(fleet)["unserved"]
    asked = ask(alex, cast, handle).json()["id"]
    until(lambda: responded(alex, asked))
    assert where in {found["placement"] for found in status(fleet)["processes"]}
    assert "SECRET_KEY" not in psutil.Process(one.pid).environ()

    # What has no placement is answered by the other process, also while this one is stopped.
    one.kill()
    plain = ask(alex, cast, "mirror").json()["id"]
    until(lambda: responded(alex, plain))
    until(lambda: where in ready(fleet)["unserved"], 30)
    assert ask(alex, cast, handle).json()["code"] == "placement"
    two = place(fleet, where, 2)
    until(lambda: where in ready(fleet)["placements"])
    again = ask(alex, cast, handle).json()["id"]
    until(lambda: responded(alex, again))
    two.stop()
    until(lambda: where in ready(fleet)["unserved"], 30)


def test_a_name_that_cannot_be_starts_nothing(fleet: Installation, tmp_path: Path):
    child = Child([PROGRAM, "agents", "--placement", "two words"], tmp_path / "log", fleet.environ)
    until(lambda: not child.running())
    assert "EARSHOT_PLACEMENT takes letters" in child.output()
