"""The agents in a fleet: their own queue, by a Redis user who reaches nothing but the agents' own keys."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from urllib.parse import urlsplit
from uuid import UUID

import pytest
import redis

from collab.processes.agents_environment import QUEUE_COMMAND
from collab.processes.presence import Household
from collab.processes.redis_door import to_agents
from messaging.agents.service import SWEEP_EVERY
from messaging.mailbox import alive, served, wake
from messaging.mailbox.models import Attempt, Turn, Utterance
from tests.agents.conftest import Agents, until
from tests.mailbox import cast

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.fleet]
#: A database of Redis's own, which no running installation of this test run listens to.
APART = "/5"
SLOW = {"script": [[{"say": "working"}, {"pause": 60}], [{"say": "second try"}]]}


def apart(name: str) -> str:
    return urlsplit(os.environ[name])._replace(path=APART).geturl()


@pytest.fixture
def house() -> Iterator[redis.Redis]:
    """The house's own access."""
    server = redis.Redis.from_url(apart("TEST_REDIS_URL"))
    server.flushdb()
    yield server
    server.close()


@pytest.fixture
def agents_url(house: redis.Redis) -> str:
    """The agents' access, by a user of their own."""
    return apart("TEST_AGENTS_REDIS_URL")


def answers() -> list[str]:
    return list(Utterance.objects.filter(kind="answer").values_list("text", flat=True))


def lines(house: redis.Redis) -> set[wake.Line | None]:
    return {wake.decode(raw) for raw in house.lrange(wake.LINES, 0, -1) if isinstance(raw, bytes)}


def serve(agents, url: str, placement: str) -> Agents:
    """A process of agents that serves a placement; it takes tasks once this returns."""
    child: Agents = agents(*QUEUE_COMMAND, AGENTS_REDIS_URL=url, EARSHOT_PLACEMENT=placement)
    binding = f"agents:_kombu.binding.{wake.queue(placement)}"
    until(lambda: redis.Redis.from_url(apart("TEST_REDIS_URL")).exists(binding), 30)
    return child


def ask(**fields) -> tuple[UUID, UUID]:
    seat = cast.mirror(**fields)
    cast.told(seat, "what do you hear, CANARY?")
    return seat.id, seat.session


def test_the_agents_user_reaches_nothing_but_its_own_keys(house, agents_url):
    restricted = redis.Redis.from_url(agents_url)
    restricted.set("agents:control", "x")
    assert restricted.get("agents:control") == b"x"
    for key in ("earshot:house", "_kombu.binding.house"):
        with pytest.raises(redis.exceptions.NoPermissionError):
            restricted.get(key)


def test_a_wake_up_by_the_queue_is_answered_on_the_list(agents, house, agents_url):
    child: Agents = agents(*QUEUE_COMMAND, AGENTS_REDIS_URL=agents_url)
    until(lambda: house.exists("agents:_kombu.binding.celery"), 30)
    door = to_agents(apart("TEST_REDIS_URL"))
    began = time.monotonic()
    for n in range(1, 6):
        seat, session = ask()
        door(wake.Wake(seat))
        until(lambda n=n: len(answers()) == n)
    assert time.monotonic() - began < 5 * SWEEP_EVERY / 2, "it was the sweep that found them"
    until(lambda: wake.Collect(session) in lines(house))
    stored = [value for key in house.keys("*") if house.type(key) == b"list" for value in house.lrange(key, 0, -1)]
    assert all(b"CANARY" not in value for value in stored)
    assert all(key.startswith(b"agents:") for key in house.keys("*"))
    child.process.terminate()
    child.process.wait(10)


def test_what_nobody_was_told_is_found_by_the_sweep(agents, agents_url):
    ask()
    agents(*QUEUE_COMMAND, AGENTS_REDIS_URL=agents_url)
    assert until(answers, 30)


def test_each_placement_is_served_by_its_own_process_alone(agents, house, agents_url):
    """By wake-ups and by the sweep: what is placed elsewhere is left to whoever serves that."""
    door = to_agents(apart("TEST_REDIS_URL"))
    serve(agents, agents_url, "")
    gpu, _ = ask(placement="gpu")
    # A wake-up that took the wrong way is none.
    for placement in ("", "gpu"):
        door(wake.Wake(gpu, placement))
    plain, _ = ask()
    door(wake.Wake(plain))
    until(lambda: len(answers()) == 1, 30)
    time.sleep(2 * SWEEP_EVERY)
    assert {one.seat_id for one in Turn.objects.all()} == {plain}
    second = serve(agents, agents_url, "gpu")
    until(lambda: len(answers()) == 2, 30)
    other, _ = ask()
    # Its own process is found by its own queue, at once.
    began = time.monotonic()
    for n in range(3, 6):
        seat, _ = ask(placement="gpu")
        door(wake.Wake(seat, "gpu"))
        until(lambda n=n: Turn.objects.filter(seat__placement="gpu").count() == n - 1)
    assert time.monotonic() - began < 3 * SWEEP_EVERY / 2, "it was the sweep that found them"
    until(lambda: Turn.objects.filter(seat=other).exists())
    assert all(key.startswith(b"agents:") for key in house.keys("*"))
    second.process.terminate()
    second.process.wait(10)


def test_a_process_tells_which_placement_it_serves(agents, house, agents_url):
    serve(agents, agents_url, "gpu")
    household = Household(alive.client(apart("TEST_REDIS_URL")), fresh=0.0)
    until(lambda: household.placements() == {"gpu"}, 15)


def test_what_nobody_serves_is_not_queued(house):
    served.install(lambda: frozenset({"gpu"}))
    try:
        door = to_agents(apart("TEST_REDIS_URL"))
        for placement in ("cpu", "gpu", ""):
            door(wake.Wake(UUID(int=1), placement))
    finally:
        served.install(None)
    assert (house.llen("agents:at.gpu"), house.llen("agents:celery"), house.exists("agents:at.cpu")) == (1, 1, 0)


def test_a_stop_hands_on_what_runs_and_the_next_process_takes_it_up(agents, agents_url):
    first: Agents = agents(*QUEUE_COMMAND, AGENTS_REDIS_URL=agents_url)
    ask(provider="scripted", settings=SLOW)
    until(lambda: Utterance.objects.filter(text="working").exists(), 30)
    first.process.terminate()
    first.process.wait(10)
    assert (Attempt.objects.get().reason, Turn.objects.get().lease_owner) == ("interrupted", None)
    agents(*QUEUE_COMMAND, AGENTS_REDIS_URL=agents_url)
    assert until(answers, 30) == ["second try"]
