"""The agent's memory: what its seat was shown and said before, by its words. There is no other way into it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from messaging.agents.context import Offer
from messaging.agents.tools.base import Result, Tool, text_of
from messaging.domain import header
from messaging.mailbox import words
from messaging.mailbox.models import Delivery, Seat, Utterance

_MOST = 6
#: Characters of each text that is found.
_EXCERPT = 800
_LONGEST = 400


def _run(seat: Seat, arguments: Mapping[str, Any]) -> Result:
    found = words.find(seat, text_of(arguments, "words", _LONGEST), _MOST)
    rows: list[Delivery | Utterance] = [*found.heard, *found.said]
    if not rows:
        return Result("Nothing that you were told or said holds these words.")
    told = sorted(rows, key=lambda row: row.number or 0)
    return Result("\n\n".join(_line(seat, row) for row in told), [row.id for row in told])


def _line(seat: Seat, row: Delivery | Utterance) -> str:
    who, kind = (row.author, row.author_kind) if isinstance(row, Delivery) else (seat.handle, "agent")
    name = row.author_name if isinstance(row, Delivery) else seat.name
    head = header.render(**{"from_kind": kind, "from": who, "id": str(row.number)})
    text = row.text if len(row.text) <= _EXCERPT else f"{row.text[:_EXCERPT]}…"
    return f"{head} {header.one_line(name)}:\n{header.escape(text)}"


TOOL = Tool(
    Offer(
        "recall",
        "Searches what you were told and said earlier in this session, by words. Gives messages that hold all of them, "
        "or else any.",
        {
            "type": "object",
            "properties": {"words": {"type": "string", "description": "the words to look for"}},
            "required": ["words"],
            "additionalProperties": False,
        },
    ),
    _run,
)
