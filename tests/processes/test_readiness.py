from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client, RequestFactory

from collab import logs
from collab.processes import readiness
from collab.processes.patience import Patient
from messaging.actions.close_agent import close_agent
from messaging.actions.enrol import add_agent
from messaging.mailbox import served

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    readiness.forget()
    yield
    readiness.forget()


def test_a_migrated_database_and_no_other_part_is_ready():
    assert readiness.report() == {"database": True}


def test_a_part_that_is_down_is_named():
    readiness.watch("worker", lambda: True)
    readiness.watch("agents", lambda: False)
    assert readiness.report() == {"database": True, "agents": False, "worker": True}


def test_a_part_that_cannot_be_asked_is_down():
    def broken() -> bool:
        raise OSError

    readiness.watch("redis", broken)
    assert readiness.report()["redis"] is False


def test_a_database_that_does_not_answer_is_down(monkeypatch: pytest.MonkeyPatch):
    def refuse() -> bool:
        raise OperationalError

    monkeypatch.setattr(readiness, "_asking", Patient(refuse))
    assert readiness.report() == {"database": False}


def test_a_database_that_hangs_is_down_and_is_not_asked_again_meanwhile(monkeypatch: pytest.MonkeyPatch):
    let_go, asked = threading.Event(), []

    def hang() -> bool:
        asked.append(1)
        return let_go.wait(30)

    monkeypatch.setattr(readiness, "_asking", Patient(hang, seconds=0.1))
    assert [readiness.report()["database"] for _ in range(3)] == [False] * 3
    assert asked == [1]
    let_go.set()
    end = time.monotonic() + 5
    while not readiness.report()["database"]:
        assert time.monotonic() < end


def test_a_missing_migration_is_not_ready(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(readiness, "_migrated", False)
    monkeypatch.setattr(readiness, "pending", lambda: ("journal.0002_more",))
    assert readiness.report() == {"database": False}


class Household:
    """What Redis knows of the other processes; None while it is away."""

    def __init__(self, roles: set[str] | None) -> None:
        self.roles = roles

    def reachable(self) -> bool:
        return self.roles is not None

    def has(self, role: str) -> bool | None:
        return None if self.roles is None else role in self.roles


def told(client: Client) -> tuple[int, Any]:
    answer = client.get("/readyz")
    return answer.status_code, answer.json()


def test_a_fleet_s_readiness_names_what_is_missing(client: Client):
    household: Any = Household({"worker", "agents", "beat"})
    readiness.watch_fleet(household, lambda: True)
    assert told(client) == (200, {"ready": True, "missing": [], "unknown": []})
    household.roles = {"worker"}
    assert told(client) == (503, {"ready": False, "missing": ["agents", "beat"], "unknown": []})


def test_what_only_redis_could_tell_is_unknown_without_it(client: Client):
    readiness.watch_fleet(Household(None), lambda: True)  # type: ignore[arg-type]
    expected = {"ready": False, "missing": ["redis"], "unknown": ["agents", "beat", "worker"]}
    assert told(client) == (503, expected)


def test_redis_that_answers_but_brings_no_pokes_is_missing():
    readiness.watch_fleet(Household({"worker", "agents", "beat"}), lambda: False)  # type: ignore[arg-type]
    assert readiness.report()["redis"] is False


@pytest.mark.django_db(transaction=True)
class TestPlacements:
    """Which placements are served: told, and nothing is unready for one that is not."""

    @pytest.fixture(autouse=True)
    def agents(self) -> Iterator[None]:
        for handle, placement in (("plain", ""), ("thinker", "gpu"), ("clerk", "cpu")):
            add_agent(handle, kind="hosted", provider="mirror", placement=placement)
        yield
        served.install(None)

    def test_those_that_are_served_and_those_that_agents_wait_for(self, client: Client):
        served.install(lambda: frozenset({"", "cpu"}))
        assert told(client) == (
            200, {"ready": True, "missing": [], "unknown": [], "placements": ["cpu"], "unserved": ["gpu"]},
        )  # fmt: skip
        close_agent(None, "thinker")
        assert told(client)[1]["unserved"] == []

    def test_where_nobody_can_tell_nothing_is_told(self, client: Client):
        assert told(client)[1] == {"ready": True, "missing": [], "unknown": []}

    def test_a_database_that_does_not_answer_holds_nobody_up(self, client: Client, monkeypatch: pytest.MonkeyPatch):
        def refuse() -> frozenset[str]:
            raise OperationalError

        monkeypatch.setattr(readiness, "_asking_for_placements", Patient(refuse))
        served.install(lambda: frozenset({"cpu"}))
        assert told(client)[1]["placements"] == ["cpu"]


class TestLogged:
    """What of it stands in the log: that it changes."""

    def test_not_ready_is_one_warning_with_the_parts_and_ready_again_one_line(
        self, client: Client, caplog: pytest.LogCaptureFixture
    ):
        household: Any = Household({"worker", "agents", "beat"})
        readiness.watch_fleet(household, lambda: True)
        with caplog.at_level("INFO"):
            assert [told(client)[0] for _ in range(2)] == [200, 200]
            household.roles = {"worker"}
            assert [told(client)[0] for _ in range(3)] == [503] * 3
            household.roles = {"worker", "agents", "beat"}
            assert [told(client)[0] for _ in range(2)] == [200, 200]
        assert [(one.levelname, one.getMessage()) for one in caplog.records if one.name.startswith("collab")] == [
            ("WARNING", "Not ready: missing agents, beat"),
            ("INFO", "Ready again"),
        ]

    def test_it_says_what_is_with_the_database_and_what_nobody_knows(
        self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ):
        def refuse() -> bool:
            raise OperationalError("with the words of a server")

        monkeypatch.setattr(readiness, "_asking", Patient(refuse))
        readiness.watch_fleet(Household(None), lambda: True)  # type: ignore[arg-type]
        readiness.report()
        assert [one.getMessage() for one in caplog.records] == [
            "Not ready: missing database (does not answer, OperationalError), redis; unknown agents, beat, worker"
        ]

    def test_a_missing_migration_is_no_silence(self, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture):
        monkeypatch.setattr(readiness, "_migrated", False)
        monkeypatch.setattr(readiness, "pending", lambda: ("journal.0002_more",))
        readiness.report()
        assert [one.getMessage() for one in caplog.records] == ["Not ready: missing database (not migrated)"]

    @pytest.mark.parametrize(("path", "status", "kept"), [("/readyz", 503, 0), ("/readyz", 500, 1), ("/other", 503, 1)])
    def test_what_django_says_of_it_is_left_out_and_of_nothing_else(self, path: str, status: int, kept: int):
        record = logging.LogRecord("django.request", logging.ERROR, __file__, 1, "%s", ("x",), None)
        record.status_code, record.request = status, RequestFactory().get(path)
        assert int(bool(logs.ReadinessApart().filter(record))) == kept
        assert logs.setup({})["loggers"]["django.request"]["filters"] == ["readiness"]
