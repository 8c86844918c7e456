"""Rows of a seat's mailbox to a request that names no provider. Pure: what is not handed in stays out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol, TypeAlias
from uuid import UUID

from messaging.domain.disposition import SHOWN

#: The words by which the mailbox tells what a seat said.
_ANSWER, _STEP = "answer", "step"
#: The state of a call that gave something.
_DONE = "done"
#: Bytes that a line's header takes at most, or nearly.
_OVERHEAD = 160


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
    """What the seat said: an answer it gave before, or (`step`) what it has said so far in the turn that runs.

    `id` is the message that an answer became, or its own where it is none. A step stands after number `number`.
    """

    number: int
    id: UUID
    text: str
    step: bool = False


@dataclass(frozen=True, slots=True)
class Recap:
    """What the seat's own model made of its numbers `first` to `number`: it stands in their place."""

    first: int
    number: int
    id: UUID
    text: str


@dataclass(frozen=True, slots=True)
class Called:
    """A call of the attempt that runs, after the words of its step, and what came of it: `text`."""

    number: int
    id: UUID
    call_id: str
    name: str
    arguments: Mapping[str, Any]
    text: str
    failed: bool = False
    step: int = 1


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool as a model is told of it. `schema`: the JSON schema of its arguments."""

    name: str
    description: str
    schema: Mapping[str, Any]


Line: TypeAlias = Heard | Said | Recap | Called


@dataclass(frozen=True, slots=True)
class Request:
    """What a provider gets: who the agent is, and the lines it may know, in the seat's own order.

    `step`: which of the attempt's model steps this is. Of a message that was asked again the last line is the input.
    `tools`: what may be called in this step, and what was called before; where `must_answer`, nothing may be any more.
    """

    handle: str
    name: str
    lines: tuple[Line, ...]
    input: UUID
    attempt: int = 1
    settings: Mapping[str, Any] = field(default_factory=dict)
    step: int = 1
    tools: tuple[Offer, ...] = ()
    must_answer: bool = False

    @property
    def asked(self) -> Heard | None:
        """The line that is the input."""
        heard = [line for line in self.lines if isinstance(line, Heard) and line.id == self.input]
        return heard[-1] if heard else None

    @property
    def is_open(self) -> bool:
        """Whether there is something to say: the agent itself does not have the last word in its turn."""
        return bool(self.lines) and not (isinstance(self.lines[-1], Said) and self.lines[-1].step)


class Wish(StrEnum):
    """What a model is to make of lines beside an answer."""

    SUMMARY = "summary"
    TITLE = "title"


@dataclass(frozen=True, slots=True)
class Digest:
    """Lines, in order, of which a seat's model is to make something of at most `most` bytes."""

    wish: Wish
    handle: str
    name: str
    lines: tuple[Line, ...]
    most: int
    settings: Mapping[str, Any] = field(default_factory=dict)


class SeatRow(Protocol):
    """What is read of a seat."""

    id: UUID
    fresh_from: int
    handle: str
    name: str
    settings: Any


class HeardRow(Protocol):
    """What is read of a delivery."""

    id: UUID
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
    """What is read of an answer, or of a step."""

    id: UUID
    seat_id: UUID
    turn_id: UUID | None
    kind: str
    attempt: int
    n: int
    number: int | None
    after: int | None
    text: str
    message: UUID | None
    withheld_at: datetime | None


class CallRow(Protocol):
    """What is read of a call. `taken_back`: whether something that stands in its result was."""

    id: UUID
    turn_id: UUID
    attempt: int
    step: int
    n: int
    call_id: str
    name: str
    arguments: Any
    state: str
    result: str
    answer: UUID | None
    taken_back: bool


class SummaryRow(Protocol):
    """What is read of a summary."""

    id: UUID
    seat_id: UUID
    first: int
    last: int
    text: str
    into: UUID | None
    withheld_at: datetime | None


@dataclass(frozen=True, slots=True)
class Running:
    """The turn and the attempt that a request is for. `asked`: the message that is the input."""

    turn: UUID
    asked: UUID
    attempt: int


def build(
    seat: SeatRow,
    heard: Iterable[HeardRow],
    said: Iterable[SaidRow],
    running: Running,
    summaries: Iterable[SummaryRow] = (),
    calls: Iterable[CallRow] = (),
) -> Request:
    """The request of one model step.

    Rows of another seat, rows not shown, rows taken back, rows from before the agent was started afresh and steps of
    another turn or attempt never come in, whatever the query that brought them. What a summary tells is not told twice,
    but for the input and what follows it.
    """
    said = [row for row in said if row.seat_id == seat.id and row.withheld_at is None]
    steps = [row for row in said if _is_step(row, running)]
    calls = [row for row in calls if row.turn_id == running.turn and row.attempt == running.attempt]
    # What came back to a call stands there, and nowhere else in this request.
    back = {row.answer for row in calls if row.answer is not None}
    lines: list[Line] = [*_recaps(seat, summaries), *_rows(seat, (row for row in heard if row.id not in back), said)]
    # Sorting keeps the order of equals: a step stands after the line that has its number, steps in their own order.
    lines += _steps(steps, calls)
    ordered = tuple(sorted(lines, key=lambda line: line.number))
    request = Request(
        seat.handle, seat.name, ordered, running.asked, running.attempt, settings_of(seat), len(steps) + 1
    )
    return replace(request, lines=without_told(request))


#: What a model is told in the place of a result that holds what was taken back.
TAKEN_BACK = "What this gave was taken back."


def _steps(steps: Sequence[SaidRow], calls: Sequence[CallRow]) -> list[Line]:
    """Each step's words, where there are any, and its calls."""
    lines: list[Line] = []
    for row in sorted(steps, key=lambda step: step.n):
        after = row.after or 0
        if row.text.strip():
            lines.append(Said(after, row.id, row.text, step=True))
        own = sorted((one for one in calls if one.step == row.n), key=lambda one: one.n)
        lines += [_called(one, after) for one in own]
    return lines


def _called(row: CallRow, after: int) -> Called:
    arguments = row.arguments if isinstance(row.arguments, Mapping) else {}
    text, failed = (TAKEN_BACK, True) if row.taken_back else (row.result, row.state != _DONE)
    return Called(after, row.id, row.call_id, row.name, arguments, text, failed, row.step)


def settings_of(seat: SeatRow) -> Mapping[str, Any]:
    """The settings of a seat; none where what is kept there is no mapping."""
    return seat.settings if isinstance(seat.settings, Mapping) else {}


#: The longest advice, in tokens.
ADVICE = 512


def alone(request: Request) -> Request:
    """The request of one who is asked for advice: the input and nothing before it, for a short answer without tools."""
    asked = request.asked
    since = asked.number if asked else 0
    lines = tuple(line for line in request.lines if line is asked or (isinstance(line, Said) and line.step))
    known = request.settings.get("max_tokens")
    most = min(known, ADVICE) if isinstance(known, int) and known > 0 else ADVICE
    kept = tuple(line for line in lines if line.number >= since)
    return replace(request, lines=kept, tools=(), settings={**request.settings, "max_tokens": most})


def digest_lines(seat: SeatRow, heard: Iterable[HeardRow], said: Iterable[SaidRow]) -> tuple[Line, ...]:
    """What is to be summed up of these rows: by the same rules, and without the steps of any turn."""
    return tuple(sorted(_rows(seat, heard, said), key=lambda line: line.number))


def without_told(request: Request) -> tuple[Line, ...]:
    """The request's lines without those that one of its summaries tells; from the input on, all stand as they are."""
    recaps = [line for line in request.lines if isinstance(line, Recap)]
    since = request.asked.number if request.asked else None
    return tuple(line for line in request.lines if not _is_told(line, recaps, since))


def _is_told(line: Line, recaps: Sequence[Recap], since: int | None) -> bool:
    if isinstance(line, Recap) or (since is not None and line.number >= since):
        return False
    return any(one.first <= line.number <= one.number for one in recaps)


def _recaps(seat: SeatRow, rows: Iterable[SummaryRow]) -> list[Line]:
    return [Recap(row.first, row.last, row.id, row.text) for row in rows if _may_tell(seat, row) and row.text.strip()]


def _may_tell(seat: SeatRow, row: SummaryRow) -> bool:
    kept = row.withheld_at is None and row.into is None
    return row.seat_id == seat.id and kept and row.first > seat.fresh_from


def _rows(seat: SeatRow, heard: Iterable[HeardRow], said: Iterable[SaidRow]) -> list[Line]:
    """The lines of deliveries and of answers that the seat may be told."""
    lines: list[Line] = [_heard(row, row.number) for row in heard if _may_hear(seat, row) and row.number]
    own = [row for row in said if row.seat_id == seat.id and row.withheld_at is None and row.kind == _ANSWER]
    return lines + [
        Said(row.number, row.message or row.id, row.text) for row in own if row.number and row.number > seat.fresh_from
    ]


def cost(line: Line) -> int:
    """The bytes that a line takes in a request, its header included."""
    more = len(json.dumps(dict(line.arguments)).encode()) if isinstance(line, Called) else 0
    return len(line.text.encode()) + more + _OVERHEAD


def fit(request: Request, cost: Callable[[Line], int], budget: int) -> tuple[Sequence[Line], int]:
    """The newest lines whose costs fit the budget, in order; and how many were left out.

    The input, what the turn has called, and the last line (what steers, where the turn is steered) always.
    """
    lines, asked = request.lines, request.asked
    kept = {n for n, line in enumerate(lines) if line is asked or isinstance(line, Called) or n == len(lines) - 1}
    spent = sum(cost(lines[n]) for n in kept)
    for n in reversed(range(len(lines))):
        spent += 0 if n in kept else cost(lines[n])
        if spent > budget:
            break
        kept.add(n)
    return [lines[n] for n in sorted(kept)], len(lines) - len(kept)


def _is_step(row: SaidRow, running: Running) -> bool:
    return row.kind == _STEP and row.turn_id == running.turn and row.attempt == running.attempt


def _may_hear(seat: SeatRow, row: HeardRow) -> bool:
    shown = row.state in SHOWN and row.withheld_at is None
    return row.seat_id == seat.id and shown and (row.number or 0) > seat.fresh_from


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
