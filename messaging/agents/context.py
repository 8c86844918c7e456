"""Rows of a seat's mailbox to a request that names no provider. Pure: what is not handed in stays out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol, TypeAlias
from uuid import UUID

from messaging.domain.disposition import SHOWN


@dataclass(frozen=True, slots=True)
class Heard:
    """One message that was shown to the seat."""

    number: int
    id: UUID
    author: str
    author_kind: str
    author_name: str
    text: str
    said_at: datetime
    to: tuple[str, ...] = ()
    on_behalf_of: str = ""
    re: UUID | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """One answer the seat gave before; `id` is the message it became, or its own where it is not one yet."""

    number: int
    id: UUID
    text: str


Line: TypeAlias = Heard | Said


@dataclass(frozen=True, slots=True)
class Request:
    """What a provider gets: who the agent is, and the lines it may know, in the seat's own order."""

    handle: str
    name: str
    lines: tuple[Line, ...]
    input: UUID
    attempt: int = 1
    settings: Mapping[str, Any] = field(default_factory=dict)


class SeatRow(Protocol):
    """What is read of a seat."""

    id: UUID
    handle: str
    name: str
    settings: Any


class HeardRow(Protocol):
    """What is read of a delivery."""

    seat_id: UUID
    message: UUID
    number: int | None
    author: str
    author_kind: str
    author_name: str
    text: str
    said_at: datetime
    to: Any
    on_behalf_of: str
    re: UUID | None
    state: str
    withheld_at: datetime | None


class SaidRow(Protocol):
    """What is read of an answer."""

    id: UUID
    seat_id: UUID
    number: int | None
    text: str
    message: UUID | None


def build(seat: SeatRow, heard: Iterable[HeardRow], said: Iterable[SaidRow], asked: UUID, attempt: int) -> Request:
    """The request of one attempt.

    Rows of another seat, rows not shown and rows taken back never come in, whatever the query that brought
    them. asked: the message that is the input.
    """
    lines: list[Line] = [_heard(row, row.number) for row in heard if _may_hear(seat, row) and row.number]
    lines += [
        Said(row.number, row.message or row.id, row.text) for row in said if row.seat_id == seat.id and row.number
    ]
    ordered = tuple(sorted(lines, key=lambda line: line.number))
    settings = seat.settings if isinstance(seat.settings, Mapping) else {}
    return Request(seat.handle, seat.name, ordered, asked, attempt, settings)


def fit(request: Request, cost: Callable[[Line], int], budget: int) -> tuple[Sequence[Line], int]:
    """The newest lines whose costs fit the budget, the input always, in order; and how many were left out."""
    kept: list[Line] = [line for line in request.lines if line.id == request.input]
    spent = sum(map(cost, kept))
    for line in reversed(request.lines):
        spent += 0 if line.id == request.input else cost(line)
        if spent > budget:
            break
        kept += [] if line.id == request.input else [line]
    return sorted(kept, key=lambda line: line.number), len(request.lines) - len(kept)


def _may_hear(seat: SeatRow, row: HeardRow) -> bool:
    return row.seat_id == seat.id and row.state in SHOWN and row.withheld_at is None


def _heard(row: HeardRow, number: int) -> Heard:
    to = tuple(row.to) if isinstance(row.to, list) else ()
    return Heard(
        number,
        row.message,
        row.author,
        row.author_kind,
        row.author_name,
        row.text,
        row.said_at,
        to,
        row.on_behalf_of,
        row.re,
    )
