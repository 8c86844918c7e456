"""`earshot status`: who runs, what waits, which turns run. The admin shows the same at /admin/status/."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from datetime import datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from collab import environment
from collab.cli import opened
from collab.cli.asking import say
from collab.cli.main import Refused
from collab.cli.roles import django

if TYPE_CHECKING:
    from collab.processes.status import Process, Status


def run(chosen: argparse.Namespace) -> None:
    """Print how it stands; refuse at the end where something is missing."""
    found = environment.read(os.environ)
    opened.must_be_there(found)
    django()
    from collab.processes import status

    seen = status.look(found)
    say(json.dumps(in_json(seen), default=_time) if chosen.json else "\n".join(lines(seen)))
    if seen.missing:
        raise Refused(verdict(seen))


def verdict(seen: Status) -> str:
    """Return what is missing, in a line."""
    words = [f"missing: {', '.join(seen.missing)}"]
    if seen.trouble:
        words.append(f"the database {seen.trouble}")
    if seen.embedded and "up" in seen.missing:
        words.append("nothing runs on this data folder, `earshot up` starts it")
    return "; ".join(words)


def in_json(seen: Status) -> dict[str, Any]:
    """Return the status as one object; each queue also with its oldest row's age in seconds."""
    told = asdict(seen)
    for queue in told["queues"]:
        oldest = queue["oldest"]
        queue["oldest_seconds"] = None if oldest is None else round((seen.at - oldest).total_seconds(), 3)
    return told


def lines(seen: Status) -> Iterator[str]:
    """Return the status as a person reads it."""
    kind = "one process" if seen.embedded else "a fleet"
    yield f"Earshot {version('earshot')}, {kind}, {seen.at:%Y-%m-%d %H:%M:%S} UTC"
    yield f"database  {seen.database or seen.trouble}"
    if seen.pending:
        yield f"          {len(seen.pending)} migrations to apply, first {seen.pending[0]}"
    if seen.redis is not None:
        yield f"redis     {'answers' if seen.redis else 'does not answer, so processes cannot be told'}"
    if seen.paused:
        yield f"agents    paused since {seen.paused:%Y-%m-%d %H:%M:%S} UTC: what they are asked is kept"
    yield from _processes(seen)
    yield from _queues(seen)
    yield from _turns(seen)


def _processes(seen: Status) -> Iterator[str]:
    yield "\nprocesses"
    for one in seen.processes:
        since = f"since {one.since:%Y-%m-%d %H:%M:%S}" if one.since else ""
        yield f"  {one.role:<8} {one.host:<20} {one.pid:>8}  {one.version:<10} {since}{_at(one)}".rstrip()
    if not seen.processes:
        yield "  none"
    for placement in seen.unserved:
        agents = ", ".join(seen.placements.get(placement, ()))
        yield f"  nobody runs {agents}: {_start(placement)} is missing"


def _at(one: Process) -> str:
    return f"  at {one.placement}" if one.placement else ""


def _start(placement: str) -> str:
    return f"`earshot agents --placement {placement}`" if placement else "`earshot agents`"


def _queues(seen: Status) -> Iterator[str]:
    from collab.processes.status import WORDS, age

    if seen.queues:
        yield "\nwaiting"
    for queue in seen.queues:
        oldest = f"  the oldest for {age(seen.at, queue.oldest)}" if queue.oldest else ""
        yield f"  {queue.rows:>6} {WORDS.get(queue.name, queue.name)}{oldest}"


def _turns(seen: Status) -> Iterator[str]:
    from collab.processes.status import age, held

    if seen.queues:
        yield "\nturns that run" if seen.turns else "\nno turn runs"
    for one in seen.turns:
        yield f"  {one.agent:<16} for {age(seen.at, one.started_at)}, attempt {one.attempts}, {held(one)}"


def _time(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
