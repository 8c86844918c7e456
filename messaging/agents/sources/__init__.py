"""Tools that sources offer: MCP servers and folders that somebody registered and granted."""

from __future__ import annotations

from collections.abc import Sequence

from messaging.agents.tools.base import Tool
from messaging.mailbox.models import Seat


class Opened:
    """The sources of one seat for one attempt: nothing of it outlives `close`."""

    def __init__(self, seat: Seat) -> None:
        self._seat = seat

    def tools(self) -> Sequence[Tool]:
        """What the seat's sources offer, as they were listed. Nothing is connected for it."""
        return ()

    def close(self) -> None:
        """Ends every connection, and the programs that were started for them."""
