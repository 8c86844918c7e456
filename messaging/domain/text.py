"""Which text may come in at all, and how much of it (decisions, bounds)."""

from __future__ import annotations

MAX_TEXT_BYTES = 64 * 1024
MAX_AGENT_INPUT_BYTES = 8192
MAX_CLIENT_KEY = 128
MAX_TITLE = 120
MAX_NAME = 80
#: Why somebody changed or deleted a message, in characters.
MAX_REASON = 500


class BadText(ValueError):
    """Text that cannot be stored or shown everywhere. `str()` of it may be shown to people."""


class TooLong(ValueError):
    """Text over a bound, in bytes of UTF-8."""

    def __init__(self, size: int, bound: int) -> None:
        super().__init__(f"is {size} bytes long; at most {bound} are taken")
        self.bound = bound


def check_characters(text: str) -> None:
    """Refuses what PostgreSQL or UTF-8 cannot hold: NUL and lone surrogates. Raises BadText."""
    if "\x00" in text:
        raise BadText("holds a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadText("holds half of a surrogate pair") from error


def check_message(text: str, *, agent_bound: bool) -> None:
    """Refuses a message that is empty, malformed or over its bound. Raises BadText or TooLong."""
    check_characters(text)
    if not text.strip():
        raise BadText("is empty")
    bound = MAX_AGENT_INPUT_BYTES if agent_bound else MAX_TEXT_BYTES
    size = len(text.encode())
    if size > bound:
        raise TooLong(size, bound)
