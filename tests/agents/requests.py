"""Requests and rows for tests that need no database."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from messaging.agents.context import Heard, Request, Said

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SEAT = uuid4()
TURN = uuid4()


def heard(number: int, text: str, **fields: Any) -> Heard:
    known: dict[str, Any] = {
        "id": uuid4(),
        "author": "alex",
        "author_kind": "human",
        "author_name": "Alex",
        "said_at": NOON,
    }
    return Heard(number=number, text=text, **(known | fields))


def said(number: int, text: str, *, step: bool = False) -> Said:
    return Said(number, uuid4(), text, step)


def request(*lines: Heard | Said, asked: UUID | None = None, **settings: Any) -> Request:
    """A request whose input is the last line."""
    return Request("mirror", "Mirror", tuple(lines), asked or lines[-1].id, settings=settings)


@dataclass
class SeatRow:
    id: UUID = SEAT
    handle: str = "mirror"
    name: str = "Mirror"
    fresh_from: int = 0
    settings: Any = field(default_factory=dict)


@dataclass
class HeardRow:
    text: str
    number: int | None = 1
    state: str = "delivered"
    seat_id: UUID = SEAT
    message: UUID = field(default_factory=uuid4)
    author: str = "alex"
    author_kind: str = "human"
    author_name: str = "Alex"
    said_at: datetime = NOON
    to: Any = field(default_factory=list)
    on_behalf_of: str = ""
    re: UUID | None = None
    withheld_at: datetime | None = None
    id: UUID = field(default_factory=uuid4)


@dataclass
class SaidRow:
    text: str
    number: int | None = 2
    seat_id: UUID = SEAT
    message: UUID | None = None
    id: UUID = field(default_factory=uuid4)
    kind: str = "answer"
    turn_id: UUID | None = None
    attempt: int = 1
    n: int = 1
    after: int | None = None
    withheld_at: datetime | None = None


def step(text: str, after: int, n: int = 1, **fields: Any) -> SaidRow:
    """What the turn of these tests has said so far, in its first attempt."""
    return SaidRow(text, **({"number": None, "kind": "step", "turn_id": TURN, "n": n, "after": after} | fields))
