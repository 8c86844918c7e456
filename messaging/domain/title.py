"""Titles that nobody gave: made of agent-visible text alone, and never more than a line."""

from __future__ import annotations

from enum import StrEnum

from messaging.domain.text import BadText, check_characters

#: Characters of a title that is made of a text.
LONGEST = 80
#: Bytes that a model may say for one.
MOST_BYTES = 320
#: What a session is called that nobody has called anything yet.
UNTITLED = "New session"
_QUOTES = "\"'`*_# \u201c\u201d\u201e\u00ab\u00bb\u2018\u2019"


class By(StrEnum):
    """Who gave a session its title: a person; its agent, from what it was told; the message that opened it; nobody."""

    PERSON = "person"
    AGENT = "agent"
    FIRST = "first"
    NOBODY = "nobody"


def of(text: str) -> str:
    """A title of a text's first line that holds something; nothing where none does, or where it cannot be kept."""
    line = next((" ".join(line.split()).strip(_QUOTES) for line in text.splitlines() if line.strip(_QUOTES)), "")
    try:
        check_characters(line)
    except BadText:
        return ""
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1].rstrip()}…"
