"""Steers, stops, ends of turns and kills in every order: each story is a legal one.

Once deed by deed in an order drawn from a seed, and once on threads, each with a connection of its own, whose order is
the database's. Whatever failed is named by its seed.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from random import Random
from threading import Barrier
from uuid import UUID

import pytest
from django.db import connection, connections
from django.utils import timezone

from messaging.actions.collect import collect
from messaging.actions.demo import seed as demo
from messaging.actions.draft import Refusal
from messaging.actions.fresh_start import fresh_start
from messaging.actions.manage_members import add_member
from messaging.actions.open_session import open_session
from messaging.actions.stop import stop
from messaging.mailbox import say
from messaging.mailbox.claim import claim
from messaging.mailbox.lease import Claim, LeaseLost
from messaging.mailbox.models import Seat, Turn
from messaging.roster.models import Agent, Person, Spend
from messaging.roster.spend import AGENT_INPUT
from tests.cast import Room, person
from tests.journeys.story import Story, faults, told
from tests.mailbox import cast

SEEDS = 200
BLOCK = 25
DEEDS = 24
PEOPLE = ("alex", "sam", "mo")


class World:
    """A session of its own with Mirror in it, and all that can happen there, each deed one transaction."""

    def __init__(self, random: Random) -> None:
        self.random = random
        alex = Person.objects.get(handle__spelled="alex")
        mirror = Agent.objects.get(handle__spelled="mirror")
        self.room = Room(open_session(alex, title="A room", active_agent=mirror))
        for handle in ("sam", "mo"):
            add_member(person("alex"), self.room.session, handle, "member")
        self.seat: UUID = Seat.objects.get(session=self.room.session.id).id
        self.claims: list[Claim] = []

    def ask(self, **more: str) -> None:
        with suppress(Refusal):
            self.room.say(self.random.choice(PEOPLE), "text", "active_agent", **more)

    def steer(self) -> None:
        self.ask(delivery="steer")

    def aside(self) -> None:
        self.room.say("mo", "by the way", "everyone")

    def claim(self) -> None:
        if (got := claim(self.seat)) is not None:
            self.claims.append(got)

    def boundary(self) -> None:
        """Whoever has, or had, the turn comes to the end of a model step."""
        self._write(lambda held: say.answer(held, "a step"))

    def fail(self) -> None:
        reason = self.random.choice(["provider_cut", "provider_auth"])
        self._write(lambda held: say.fail(held, reason))

    def _write(self, deed: Callable[[Claim], object]) -> None:
        if self.claims:
            # Mostly the newest; now and then one that was killed and does not know.
            held = self.claims[-1] if self.random.random() < 0.8 else self.random.choice(self.claims)
            with suppress(LeaseLost):
                deed(held)

    def kill(self) -> None:
        """The worker is gone: its lease runs out, or the pause after its failed attempt passes, and another comes."""
        for turn in Turn.objects.filter(seat=self.seat, state="running"):
            cast.lease_runs_out(turn.id) if turn.lease_owner else cast.backoff_passes(turn.id)
        self.claim()

    def stop(self) -> None:
        who, scope = self.random.choice([("sam", None), ("mo", None), ("alex", None), ("alex", "session")])
        stop(person(who), self.room.session, scope)

    def afresh(self) -> None:
        with suppress(Refusal):
            fresh_start(person(self.random.choice(PEOPLE)), self.room.session)

    def collect(self) -> None:
        collect(self.room.session.id)

    def end(self) -> Story:
        """Workers live, until there is nothing left to do."""
        for _ in range(200):
            for turn in Turn.objects.filter(seat=self.seat, state="running"):
                cast.lease_runs_out(turn.id) if turn.lease_owner else cast.backoff_passes(turn.id)
            collect(self.room.session.id)
            if (held := claim(self.seat)) is None:
                if not Turn.objects.filter(seat=self.seat, state="running").exists():
                    break
                continue
            while say.answer(held, "at last"):
                pass
        collect(self.room.session.id)
        return told(self.seat)


def nobody_has_asked() -> None:
    """The stories follow each other faster than people ask."""
    for handle in PEOPLE:
        Spend.objects.update_or_create(
            who=person(handle).id, what=AGENT_INPUT, defaults={"window": timezone.now(), "used": 0}
        )


def drawn(random: Random) -> Iterator[str]:
    """Deeds, weighted so that turns live long enough to be steered."""
    weights = {
        "ask": 4, "steer": 8, "claim": 4, "boundary": 7, "collect": 3, "kill": 2, "stop": 2, "fail": 1, "aside": 1,
        "afresh": 1,
    }  # fmt: skip
    yield from ("ask", "claim")
    yield from random.choices(list(weights), list(weights.values()), k=DEEDS)


def ends(stories: list[Story]) -> Counter[str]:
    """How often each end came, of steers and of turns: whether the stories were worth a look."""
    steers = [letter.state for story in stories for letter in story.letters if letter.steered]
    return Counter([*steers, *(run.state for story in stories for run in story.runs)])


@pytest.mark.django_db
@pytest.mark.parametrize("block", range(SEEDS // BLOCK))
def test_deed_by_deed_in_any_order_each_story_is_legal(block):
    demo()
    stories = []
    for seed in seeds(block, all_on="sqlite"):
        nobody_has_asked()
        world = World(Random(seed))
        deeds = list(drawn(world.random))
        for deed in deeds:
            getattr(world, deed)()
        stories.append(world.end())
        assert faults(stories[-1]) == [], f"seed {seed}: {' '.join(deeds)}"
    came = ends(stories)
    wanted = ("responded", "too_late", "superseded", "finished", "stopped")
    assert len(stories) < BLOCK or all(came[end] for end in wanted), came


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("block", range(SEEDS // BLOCK))
def test_side_by_side_each_story_is_legal(block):
    """SQLite has one writer, whose order the test above draws; there a few show that nothing gets stuck."""
    demo()
    stories = []
    with ThreadPoolExecutor(len(PARTS)) as pool:
        for seed in seeds(block, all_on="postgresql"):
            nobody_has_asked()
            world = World(Random(seed))
            world.ask()
            world.claim()
            world.steer()
            gate = Barrier(len(PARTS))
            for done in [
                pool.submit(play, Part(world, Random(f"{seed} {n}")), n, seed, gate) for n in range(len(PARTS))
            ]:
                done.result()
            stories.append(world.end())
            assert faults(stories[-1]) == [], f"seed {seed}"
        gate = Barrier(len(PARTS))
        for done in [pool.submit(hang_up, gate) for _ in PARTS]:
            done.result()
    assert ends(stories)["finished"]


def seeds(block: int, all_on: str) -> range:
    """A block's seeds: all of them on that database, a few on the other, where the other test has them all."""
    first = block * BLOCK
    return range(first, first + BLOCK) if connection.vendor == all_on else range(first, first + 2)


#: Two people steer, a worker works, one kills it and takes over, one stops, one collects: all at once.
PARTS = (
    ("steer", "steer", "ask", "steer"),
    ("steer", "steer", "steer"),
    ("boundary", "boundary", "boundary", "claim", "boundary"),
    ("kill", "boundary", "kill", "boundary"),
    ("steer", "stop", "steer"),
    ("collect", "collect", "afresh"),
)


#: Seconds that pass at most before a deed: whoever steers is quick, or there would be nothing left to steer.
PACE = {"steer": 0.01, "ask": 0.01, "boundary": 0.04, "kill": 0.04, "stop": 0.02}


def play(part: Part, n: int, seed: int, gate: Barrier) -> None:
    gate.wait()
    for deed in PARTS[n]:
        time.sleep(part.random.random() * PACE.get(deed, 0.03))
        # Now and then nobody stops, and seldom somebody starts afresh.
        if (deed, seed % 3) != ("stop", 0) and (deed != "afresh" or seed % 7 == 0):
            getattr(part, deed)()


def hang_up(gate: Barrier) -> None:
    """Each thread its own connection."""
    gate.wait()
    connections.close_all()


class Part(World):
    """One thread's own luck, in the same session and with the same claims."""

    def __init__(self, world: World, random: Random) -> None:
        self.random = random
        self.room, self.seat, self.claims = world.room, world.seat, world.claims
