"""Which processes run: what they say, what counts, and that the dead are missed."""

from __future__ import annotations

import inspect
import os
import sys
import threading
import time
from collections import Counter
from typing import Any

import pytest
import redis

from collab.processes import presence
from collab.processes.placing import Placing
from collab.processes.presence import Household
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

    def pipeline(self, *, transaction: bool) -> Questions:
        return Questions(self)


class Questions:
    """Beginnings of values, asked for together."""

    def __init__(self, server: Kept) -> None:
        self.server = server
        self.answers: list[Any] = []

    def getrange(self, key: str, first: int, last: int) -> None:
        value = self.server.keys.get(key, ("", 0))[0]
        self.answers.append(value if isinstance(value, Exception) else value.encode()[first : last + 1])

    def execute(self, *, raise_on_error: bool) -> list[Any]:
        assert not raise_on_error
        return self.answers


def saying(server: Kept, role: str) -> alive.Heartbeat:
    return alive.Heartbeat(server, presence.PREFIX, role, every=0.02)  # type: ignore[arg-type]


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


def said(host: str = '"h"', pid: str = "2", version: str = '"1"', since: str = '"2026-01-01T00:00:00+00:00"') -> str:
    return f'{{"host": {host}, "pid": {pid}, "version": {version}, "since": {since}}}'


@pytest.mark.parametrize("raw", [said(), said(pid="1"), said(host='"kitchen-2"', version='"1.0+local"')])
def test_what_tells_of_a_process_is_read(raw: str):
    """The control of the next one. Number 1 is what a container's only process has."""
    assert alive.decode("agents", raw) is not None


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "[]",
        "null",
        '"x"',
        b"\xff",
        '{"host": "h"}',
        *(said(pid=pid) for pid in ('"x"', '"2"', "2.0", "true", "null", "[2]", "0", "-1", "2147483648", "9" * 700)),
        *(said(pid=pid) for pid in ("Infinity", "-Infinity", "NaN", "1e999")),
        *(said(since=since) for since in ('"yesterday"', '"2026-01-01T00:00:00"', "1", "null")),
        *(said(since=since) for since in ('"0001-01-01T00:00:00+14:00"', '"9999-12-31T23:59:59-14:00"')),
        *(said(host=host) for host in ('""', "1", "null", '["h"]', '"' + "h" * 65 + '"')),
        *(said(version=version) for version in ('""', "1", "null", '"' + "1" * 65 + '"')),
        *(said(host=f'"h{sign}"') for sign in (r"\n", r"\r", r"\u001b[2J", r"\u0000", r"\u009b", r"\u202e", r"\ud800")),
        *(said(version=f'"1{sign}"') for sign in (r"\n", r"\u001b]0;x\u0007", r"\u2028")),
        "[" * alive.LONGEST,
        '{"a":' * (alive.LONGEST // 5),
        said() + " " * alive.LONGEST,
    ],
)
def test_what_tells_of_no_process_is_none(raw: bytes | str):
    """Agents write below their own prefix, and hostile code may be among them."""
    assert alive.decode("agents", raw) is None


def test_nesting_is_refused_also_where_little_room_is_left():
    def deep(left: int) -> alive.Alive | None:
        return deep(left - 1) if left else alive.decode("agents", "[" * alive.LONGEST)

    assert deep(sys.getrecursionlimit() - len(inspect.stack(0)) - 30) is None


def test_what_is_said_is_what_is_read():
    one = alive.this_process("web")
    assert alive.decode("web", alive.encode(one)) == one


def test_agents_say_which_placement_they_serve_and_who_says_none_serves_those_that_have_none():
    server = Kept()
    placed, plain = alive.this_process("agents", "gpu"), alive.this_process("agents")
    assert (alive.decode("agents", alive.encode(placed)), alive.decode("agents", alive.encode(plain))) == (
        placed,
        plain,
    )
    household = Household(server, fresh=0.0)  # type: ignore[arg-type]
    assert household.placements() == frozenset()
    server.keys[f"{wake.ALIVE}agents:one:1"] = (alive.encode(placed), 1)
    assert household.placements() == {"gpu"}
    server.keys[f"{wake.ALIVE}agents:two:1"] = (alive.encode(plain), 1)
    server.keys[f"{presence.PREFIX}worker:two:2"] = (alive.encode(alive.this_process("worker", "cpu")), 1)
    assert household.placements() == {"gpu", ""}
    server.gone = True
    assert household.placements() is None


@pytest.mark.parametrize("placement", ['"two words"', '"x\\u001b[2J"', "5", "[]", "null", '"' + "x" * 33 + '"'])
def test_a_placement_that_is_none_tells_of_no_process(placement: str):
    raw = alive.encode(alive.this_process("agents"))[:-1] + f', "placement": {placement}}}'
    assert alive.decode("agents", raw) is None


def test_what_is_known_of_placements_is_asked_without_waiting_and_unknown_once_redis_is_away():
    server = Kept()
    server.keys[f"{wake.ALIVE}agents:one:1"] = (alive.encode(alive.this_process("agents", "gpu")), 1)
    placing = Placing(Household(server, fresh=0.0), every=0.02)  # type: ignore[arg-type]
    assert placing.placements() is None, "at first nobody can tell"
    placing.start()
    end = time.monotonic() + 5
    while placing.placements() != {"gpu"}:
        assert time.monotonic() < end
    server.gone = True
    while placing.placements() is not None:
        assert time.monotonic() < end
    placing.stop()


def test_the_longest_names_are_told_and_read(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("socket.gethostname", lambda: "\N{LATIN SMALL LETTER U WITH DIAERESIS}" * 300)
    monkeypatch.setattr(alive, "version", lambda _: "1" * 300)
    one = alive.this_process("web")
    assert alive.decode("web", alive.encode(one)) == one
    assert one.host == alive.this_host()


def test_of_a_flood_some_are_read_and_nobody_else_is_lost():
    server = Kept()
    for n in range(presence.MOST * 2):
        server.keys[f"{wake.ALIVE}agents:h:{n + 2}"] = (said(pid=str(n + 2)), 1)
    server.keys[f"{presence.PREFIX}worker:box:1"] = (alive.encode(alive.this_process("worker")), 1)
    assert Counter(roles(server)) == {"agents": presence.MOST, "worker": 1}


def test_a_key_that_holds_no_text_tells_of_nobody():
    server = Kept()
    server.keys[f"{wake.ALIVE}agents:h:1"] = (redis.ResponseError("WRONGTYPE"), 1)
    server.keys[f"{wake.ALIVE}agents:h:2"] = (said(), 1)
    assert roles(server) == ["agents"]


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
    agents = alive.Heartbeat(alive.client(os.environ["TEST_AGENTS_REDIS_URL"]), wake.ALIVE, "agents", every=0.05)
    server = alive.client(os.environ["TEST_REDIS_URL"])
    house = alive.Heartbeat(server, presence.PREFIX, "beat", every=0.05)
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


@pytest.mark.fleet
def test_of_what_agents_leave_in_redis_only_the_beginning_is_fetched():
    hostile, house = alive.client(os.environ["TEST_AGENTS_REDIS_URL"]), alive.client(os.environ["TEST_REDIS_URL"])
    left = {name: f"{wake.ALIVE}agents:flood:{name}" for name in ("long", "list", "true")}
    try:
        hostile.set(left["long"], "[" * 4_000_000, px=20_000)
        hostile.lpush(left["list"], said())
        hostile.set(left["true"], said(host='"flood"'), px=20_000)
        before = house.info("stats")["total_net_output_bytes"]
        assert [one.host for one in presence.report(house) if one.host == "flood"] == ["flood"]
        assert house.info("stats")["total_net_output_bytes"] - before < 1_000_000
    finally:
        hostile.delete(*left.values())
