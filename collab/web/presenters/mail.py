"""A row of a seat's mailbox, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from messaging.transcript.view import MailRow, RecapView

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
    """A row with what stands above it. `past`: it is given to the agent no more; `last`: and is the last such one.

    `within`: a summary is given in its place; `recap`: that summary, below the last row that it stands for.
    """

    row: MailRow
    head: str
    state: str
    handle: str
    past: bool = False
    last: bool = False
    within: bool = False
    recap: str = ""


def mail(
    rows: list[MailRow], agent: str, fresh_from: int = 0, recaps: Sequence[RecapView] = (), before: int | None = None
) -> list[Mail]:
    """The rows in their order; the number and the text stay exactly as they lie.

    fresh_from: the number up to which nothing goes along any more, since the agent was started afresh.
    before: the number before which the rows end; a summary of rows on both sides of it stands on the later page.
    """
    ends = _ends(rows, recaps, before)
    return [
        Mail(
            row,
            _head(row, agent),
            _STATES.get(row.disposition, ""),
            _handle(row),
            past=0 < (row.number or 0) <= fresh_from,
            last=bool(fresh_from) and row.number == fresh_from,
            within=any(one.first <= (row.number or 0) <= one.last for one in recaps),
            recap=ends.get(row.number or 0, ""),
        )
        for row in rows
    ]


def _ends(rows: Sequence[MailRow], recaps: Sequence[RecapView], before: int | None) -> dict[int, str]:
    """The summaries by the number of the last of the rows that they stand for."""
    ends: dict[int, str] = {}
    for recap in recaps:
        numbers = [row.number for row in rows if row.number is not None and recap.first <= row.number <= recap.last]
        if numbers and (before is None or recap.last < before):
            ends[max(numbers)] = recap.text
    return ends


def _head(row: MailRow, agent: str) -> str:
    if row.direction == "said":
        return f"{agent} said"
    return f"From {row.author_name or row.author}"


def _handle(row: MailRow) -> str:
    """What the agent itself is given to tell authors apart; nothing where the head says it already."""
    return f"@{row.author}" if row.direction == "heard" and row.author_name else ""
