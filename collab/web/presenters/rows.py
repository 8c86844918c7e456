"""The transcript as rows: a line for each day, and heads shared by messages that belong together.

The page lays its rows again in the reader's own time zone (static/web/js/pure/rows.js, the same rules)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from messaging.transcript.marks import NONE, Marks
from messaging.transcript.view import MessageView

SHARE_A_HEAD = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Row:
    """A message with what stands before it, and what was done to it."""

    message: MessageView
    day: date | None
    joined: bool
    marks: Marks = NONE


def rows(messages: Iterable[MessageView], marks: Mapping[str, Marks] | None = None) -> list[Row]:
    """Lays messages, oldest first."""
    laid: list[Row] = []
    before: MessageView | None = None
    for message in messages:
        new_day = before is None or _day(before.created_at) != _day(message.created_at)
        laid.append(
            Row(
                message,
                _day(message.created_at) if new_day else None,
                not new_day and before is not None and joins(before, message),
                (marks or {}).get(message.id, NONE),
            )
        )
        before = message
    return laid


def joins(before: MessageView, message: MessageView) -> bool:
    """Whether a message shares the head of the one before it. An answer always has its own."""
    return (
        before.author.id == message.author.id
        and before.author.kind == message.author.kind
        and not message.answers
        and message.created_at - before.created_at < SHARE_A_HEAD
    )


def _day(at: datetime) -> date:
    return at.date()
