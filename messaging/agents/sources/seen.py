"""What a transport noticed of a source, for the code that says why nothing came of a request."""

from __future__ import annotations

from messaging.domain.source import MAX_TRAFFIC


class Overflow(Exception):
    """More came than is taken."""


class Seen:
    """Of one connection. `code` is the cause, once one is known for sure; `answered`: whether anything came at all.

    `broken`: what is left of the connection is to be ended, not wound up.
    """

    def __init__(self) -> None:
        self.code = ""
        self.answered = False
        self.broken = False
        self._bytes = 0

    def begin(self) -> None:
        """A request begins: what was noticed before is no cause of what comes of it."""
        self._bytes = 0
        if not self.broken:
            self.code = ""

    def count(self, size: int) -> None:
        """So many bytes came. Raises Overflow."""
        self.answered = True
        self._bytes += size
        if self._bytes > MAX_TRAFFIC:
            self.overflow()

    def overflow(self) -> None:
        """Raises Overflow, and keeps the cause."""
        self.code, self.broken = "source_too_much", True
        raise Overflow
