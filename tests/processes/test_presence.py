"""Which processes run: what they say, what counts, and that the dead are missed."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

import pytest
import redis

from collab.processes import presence
from collab.processes.presence import Household, Presence
from messaging.mailbox import alive, wake


class Kept:
    """As much of Redis as presence uses; `gone` makes it unreachable."""

    def __init__(self) -> None:
        self.keys: dict[str, tuple[Any, int]] = {}
        self.gone = False
        self.asked = 0
        self.written = threading.Event()

    def _reach(self) -> None:
        if self.gone:
            raise redis.ConnectionError

    def set(self, key: str, value: Any, px: int) -> None:
        self._reach()
        self.keys[key] = (value, px)
        self.written.set()

    def delete(self, key: str) -> None:
        self._reach()
        self.keys.pop(key, None)

    def scan_iter(self, match: str, count: int) -> list[str]:
        self._reach()
        self.asked += 1
        return [key for key in self.keys if key.startswith(match.removesuffix("*"))]

    def mget(self, keys: list[str]) -> list[Any]:
        return [self.keys[key][0] if key in self.keys else None for key in keys]


def saying(server: Kept, role: str) -> alive.Presence:
    return alive.Presence(server, presence.PREFIX, role, every=0.02)  # type: ignore[arg-type]


def roles(server: Any) -> list[str]:
    return [one.role for one in presence.report(server)]


def test_a_process_is_there_from_its_start_to_its_stop():
    server = Kept()
    told = saying(server, "worker")
    told.start()
    assert server.written.wait(5)
    (one,) = presence.report(server)  # type: ignore[arg-type]
    assert (one.role, one.pid) == ("worker", os.getpid())
    assert one.version
    assert one.since.tzinfo is not None
    told.stop()
    assert presence.report(server) == []  # type: ignore[arg-type]


def test_what_is_said_ends_by_itself_in_less_than_ten_seconds():
    server = Kept()
    told = saying(server, "beat")
    told.start()
    assert server.written.wait(5)
    told.stop()
    assert 2 * alive.EVERY_SECONDS * 1000 < alive.KEPT_MS < 10_000


def test_an_emptied_or_absent_redis_is_told_again():
    server = Kept()
    server.gone = True
    told = saying(server, "web")
    told.start()
    assert not server.written.wait(0.1)
    server.gone = False
    assert server.written.wait(5)
    server.keys.clear()
    server.written.clear()
    assert server.written.wait(5)
    server.gone = True
    told.stop()


def test_agents_cannot_pass_for_a_worker():
    """Their Redis user writes below agents: alone, and there nothing but agents counts."""
    server = Kept()
    word = alive.encode(alive.this_process("worker"))
    server.keys[f"{wake.ALIVE}worker:box:1"] = (word, 1)
    server.keys[f"{presence.PREFIX}agents:box:1"] = (word, 1)
    assert roles(server) == []
    server.keys[f"{wake.ALIVE}agents:box:1"] = (word, 1)
    assert roles(server) == ["agents"]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"[]",
        b"null",
        b'"x"',
        b"\xff",
        b'{"host": "h"}',
        b'{"host": "h", "pid": "x", "version": "1", "since": "2026-01-01T00:00:00+00:00"}',
        b'{"host": "h", "pid": 1, "version": "1", "since": "yesterday"}',
        b'{"host": "h", "pid": 1, "version": "1", "since": "2026-01-01T00:00:00"}',
        b'{"host": "%s", "pid": 1, "version": "1", "since": "2026-01-01T00:00:00+00:00"}' % (b"h" * 300),
    ],
)
def test_what_tells_of_no_process_is_none(raw: bytes):
    assert alive.decode("agents", raw) is None


def test_what_is_said_is_what_is_read():
    one = alive.this_process("web")
    assert alive.decode("web", alive.encode(one)) == one


def test_whoever_asks_often_asks_redis_once():
    server = Kept()
    household = Household(server, fresh=60.0)  # type: ignore[arg-type]
    assert [household.has("worker") for _ in range(5)] == [False] * 5
    assert server.asked == len((*presence.HOUSE_ROLES, presence.AGENTS))


def test_nobody_can_tell_who_runs_while_redis_is_away():
    server = Kept()
    household = Household(server, fresh=0.0)  # type: ignore[arg-type]
    server.keys[f"{presence.PREFIX}worker:box:1"] = (alive.encode(alive.this_process("worker")), 1)
    assert (household.reachable(), household.has("worker"), household.has("beat")) == (True, True, False)
    server.gone = True
    assert (household.reachable(), household.has("worker"), household.has("beat")) == (False, None, None)


@pytest.mark.fleet
def test_agents_say_it_by_their_own_user_and_the_house_hears_it():
    agents = alive.Presence(alive.client(os.environ["TEST_AGENTS_REDIS_URL"]), wake.ALIVE, "agents", every=0.05)
    house = Presence(os.environ["TEST_REDIS_URL"], "beat")
    server = presence.client(os.environ["TEST_REDIS_URL"])
    agents.start()
    house.start()
    end = time.monotonic() + 5
    while len(mine := [one for one in presence.report(server) if one.pid == os.getpid()]) < 2:
        assert time.monotonic() < end
        time.sleep(0.02)
    assert [one.role for one in mine] == ["agents", "beat"]
    agents.stop()
    house.stop()
    assert [one for one in presence.report(server) if one.pid == os.getpid()] == []
