"""A row of a seat's mailbox, in words."""

from __future__ import annotations

from dataclasses import dataclass

from messaging.transcript.view import MailRow

_STATES = {
    "accepted": "not shown to it yet",
    "queued": "not shown to it yet",
    "steering_requested": "on its way into the running turn",
    "delivered": "shown to it",
    "responded": "shown to it, answered",
    "superseded": "withdrawn, never shown to it",
    "rejected": "refused, never shown to it",
    "failed": "not shown to it",
    "too_late": "came too late, not shown to it",
}


@dataclass(frozen=True, slots=True)
class Mail:
    """A row with what stands above it. `past`: it is given to the agent no more; `last`: and is the last such one."""

    row: MailRow
    head: str
    state: str
    handle: str
    past: bool = False
    last: bool = False


def mail(rows: list[MailRow], agent: str, fresh_from: int = 0) -> list[Mail]:
    """The rows in their order; the number and the text stay exactly as they lie.

    fresh_from: the number up to which nothing goes along any more, since the agent was started afresh.
    """
    return [
        Mail(
            row,
            _head(row, agent),
            _STATES.get(row.disposition, ""),
            _handle(row),
            past=0 < (row.number or 0) <= fresh_from,
            last=bool(fresh_from) and row.number == fresh_from,
        )
        for row in rows
    ]


def _head(row: MailRow, agent: str) -> str:
    if row.direction == "said":
        return f"{agent} said"
    return f"From {row.author_name or row.author}"


def _handle(row: MailRow) -> str:
    """What the agent itself is given to tell authors apart; nothing where the head says it already."""
    return f"@{row.author}" if row.direction == "heard" and row.author_name else ""
