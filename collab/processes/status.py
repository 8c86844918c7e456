"""What an operator wants to know at a glance: who runs, what waits, which turns run, what is missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import redis
from django.db import Error, connection
from django.utils import timezone

from collab.environment import Environment
from collab.processes import kin, patience, placing, prepare, presence, schema, waiting
from collab.processes.waiting import Holder, Queue
from messaging.mailbox import alive
from messaging.roster.models import Installation

FLEET = ("web", "worker", "agents", "beat")
#: What a queue holds, in words for people, by the name that it has for programs.
WORDS = {
    "uncleared": "questions not let through yet",
    "unclaimed": "questions that no agent has taken yet",
    "unjournaled": "steps that people were not told yet",
    "unposted": "answers that are no messages yet",
}


@dataclass(frozen=True, slots=True)
class Process:
    """A process that runs. `since` (UTC) is None where only the system knows it: the agents' child of `up`.

    `placement`: of agents in a fleet, whose seats it serves.
    """

    role: str
    host: str
    pid: int
    version: str
    since: datetime | None
    placement: str = ""


@dataclass(frozen=True, slots=True)
class Status:
    """How it stands at `at` (UTC). `redis` is None where none is needed; `missing` names what should be there.

    `paused`: since when hosted agents are, if so.

    `database` is what it is, or None where it does not answer; `trouble` then says how. `placements` are those that
    agents have, each with their handles; `unserved` those of them that nobody serves, as far as that can be told.
    """

    at: datetime
    embedded: bool
    database: str | None
    pending: tuple[str, ...]
    redis: bool | None
    processes: tuple[Process, ...]
    queues: tuple[Queue, ...] = ()
    turns: tuple[Holder, ...] = ()
    missing: tuple[str, ...] = field(default=())
    trouble: str = ""
    paused: datetime | None = None
    placements: Mapping[str, Sequence[str]] = field(default_factory=dict)
    unserved: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stored:
    """What the database tells: what it is, migrations to apply, and, where there are none, what is in it."""

    engine: str | None
    pending: tuple[str, ...] = ()
    queues: tuple[Queue, ...] = ()
    turns: tuple[Holder, ...] = ()
    trouble: str = ""
    paused: datetime | None = None
    placements: Mapping[str, Sequence[str]] = field(default_factory=dict)


def look(found: Environment) -> Status:
    """Ask the database, Redis and the system. Nothing is raised: what does not answer in time is missing."""
    there, processes = _one_process(found) if found.embedded else _fleet(found)
    stored = _database()
    unserved = _unserved(processes, stored) if there else ()
    missing = [
        *([] if stored.engine else ["database"]),
        *(["migrations"] if stored.pending else []),
        *(["redis"] if there is False else []),
        *_roles_missing(found, processes, told=there is not False),
        *(f"agents at {one}" if one else "agents without a placement" for one in unserved),
    ]
    return Status(
        at=timezone.now(),
        embedded=found.embedded,
        database=stored.engine,
        pending=stored.pending,
        redis=there,
        processes=processes,
        queues=stored.queues,
        turns=stored.turns,
        missing=tuple(missing),
        trouble=stored.trouble,
        paused=stored.paused,
        placements=stored.placements,
        unserved=unserved,
    )


def engine() -> str:
    """Return kind, version and name of the database; nothing of its address that is secret."""
    where = connection.settings_dict
    if connection.vendor == "sqlite":
        from sqlite3 import sqlite_version

        return f"SQLite {sqlite_version} at {where['NAME']}"
    version = ".".join(str(part) for part in connection.get_database_version())
    return f"PostgreSQL {version} at {where['HOST'] or 'a local socket'}/{where['NAME']}, as {where['USER']}"


def held(turn: Holder) -> str:
    """Who holds a running turn, and how long at most without a word."""
    if turn.lease_owner is None:
        when = f", due at {turn.not_before:%H:%M:%S}" if turn.not_before else ""
        return f"waits for its next attempt{when}"
    until = f" until {turn.lease_until:%H:%M:%S}" if turn.lease_until else ""
    return f"held by {turn.lease_owner}{until}"


def age(now: datetime, then: datetime) -> str:
    """Return how long ago that was, in the largest unit that is not nought."""
    seconds = max(0, int((now - then).total_seconds()))
    for size, unit in ((86_400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def _database() -> Stored:
    try:
        return patience.within(patience.WITHIN, _stored)
    except TimeoutError as late:
        return Stored(None, trouble=str(late))
    except Error as error:
        connection.close()
        return Stored(None, trouble=f"does not answer ({type(error).__name__})")


def _stored() -> Stored:
    name, pending = engine(), schema.pending()
    if pending:
        return Stored(name, pending)
    queues, turns = tuple(waiting.waiting()), tuple(waiting.holders())
    return Stored(name, pending, queues, turns, paused=Installation.paused_since(), placements=placing.wanted())


def _fleet(found: Environment) -> tuple[bool, tuple[Process, ...]]:
    try:
        heard = presence.report(alive.client(found.redis_url or ""))
    except redis.RedisError:
        return False, ()
    return True, tuple(Process(one.role, one.host, one.pid, one.version, one.since, one.placement) for one in heard)


def _unserved(processes: Sequence[Process], stored: Stored) -> tuple[str, ...]:
    """Placements of agents that no process serves; none where there is no process of agents at all, which is said."""
    there = {one.placement for one in processes if one.role == presence.AGENTS}
    return tuple(sorted(stored.placements.keys() - there)) if there else ()


def _one_process(found: Environment) -> tuple[None, tuple[Process, ...]]:
    """The process that holds the data folder, and its child."""
    house = prepare.user_of(found.home)
    if house is None:
        return None, ()
    own = Process(house.role, house.host, house.pid, house.version, house.since)
    agents = kin.children(house.pid, "messaging.agents")
    return None, (own, *(Process("agents", house.host, pid, house.version, None) for pid in agents))


def _roles_missing(found: Environment, processes: tuple[Process, ...], *, told: bool) -> list[str]:
    """In a fleet without Redis nobody can tell, so nobody is called missing."""
    wanted = ("up", "agents") if found.embedded else FLEET
    running = {process.role for process in processes}
    return [role for role in wanted if role not in running] if told else []
