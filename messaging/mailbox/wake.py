"""The lines between house and agents: wake-ups for rows, ids only, so that losing one loses nothing.

The house wakes a seat; the agents' process says that there is something to collect or a piece to show.
How a line travels (a pipe, a queue) is the process's choice: it installs a transport at its start.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias
from uuid import UUID

from django.db import transaction


@dataclass(frozen=True, slots=True)
class Wake:
    """To the agents: this seat may have cleared input. `placement` says on which queue; no line tells it."""

    seat: UUID
    placement: str = ""


@dataclass(frozen=True, slots=True)
class Collect:
    """To the house: steps or an answer of this session's seats wait to be journaled."""

    session: UUID


@dataclass(frozen=True, slots=True)
class Piece:
    """To the house: this turn has said another piece."""

    session: UUID
    turn: UUID


#: The agents' realm in Redis, where there is one: their user needs rights on keys below this prefix alone.
PREFIX = "agents:"
#: The list on which the house waits for lines from the agents, and the one task by which it wakes them.
LINES = "agents:wakes"
TASK = "agents.wake"
#: Below this each process of agents says that it runs.
ALIVE = "agents:alive:"
#: Without their prefix: the queue of seats that have no placement, and how one of a placement's is called.
QUEUE, _PLACED = "celery", "at."

Line: TypeAlias = Wake | Collect | Piece
Transport: TypeAlias = Callable[[Line], None]

_WORDS: dict[str, type[Line]] = {"wake": Wake, "collect": Collect, "piece": Piece}
_FIELDS = {Wake: ("seat",), Collect: ("session",), Piece: ("session", "turn")}


def queue(placement: str) -> str:
    """The queue that serves seats of this placement."""
    return f"{_PLACED}{placement}" if placement else QUEUE


def encode(line: Line) -> bytes:
    """One JSON line, closing line break included."""
    word = type(line).__name__.lower()
    return json.dumps({"type": word} | {f: str(getattr(line, f)) for f in _FIELDS[type(line)]}).encode() + b"\n"


def decode(raw: bytes) -> Line | None:
    """The line, or None for anything that is none: what comes from a process never chooses a handler."""
    try:
        data = json.loads(raw)
        kind = _WORDS[data["type"]]
        ids: dict[str, Any] = {field: UUID(data[field]) for field in _FIELDS[kind]}
        return kind(**ids)
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _nowhere(line: Line) -> None:
    """Without a transport the periodic sweeps find the rows."""


_transport: Transport = _nowhere


def install(transport: Transport) -> None:
    """Sets how this process's lines travel."""
    global _transport
    _transport = transport


def send(line: Line) -> None:
    """Sends once the transaction has committed (never where it rolls back)."""
    transaction.on_commit(lambda: _transport(line), robust=True)
