"""Tools that sources offer: MCP servers and folders that somebody registered and granted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from messaging.agents.context import Offer
from messaging.agents.sources import folder
from messaging.agents.sources.remote import Remote
from messaging.agents.sources.words import failed
from messaging.agents.tools.base import Result, Tool
from messaging.domain.source import Transport, tool_name
from messaging.mailbox.models import Seat, Source


class Opened:
    """The sources of one seat for one attempt: nothing of it outlives `close`.

    look: called every half second while a call runs; what it raises ends the call, and goes on to who called.
    """

    def __init__(self, seat: Seat, look: Callable[[], None] | None = None) -> None:
        self._seat = seat
        self._remote = Remote(look)
        self._tools: Sequence[Tool] | None = None

    def tools(self) -> Sequence[Tool]:
        """What the seat's sources offer, as they were listed. Nothing is connected for it."""
        if self._tools is None:
            granted = Source.objects.filter(name__in=self._seat.sources, enabled=True, listed_at__isnull=False)
            rows = granted.order_by("name")
            self._tools = [self._tool(row, one) for row in rows for one in row.tools if not one["left_out"]]
        return self._tools

    def close(self) -> None:
        """Ends every connection, and the programs that were started for them."""
        self._remote.close()

    def _tool(self, source: Source, listed: Mapping[str, Any]) -> Tool:
        offer = Offer(tool_name(source.name, listed["name"]), listed["description"], listed["schema"])
        return Tool(offer, partial(self._run, source, listed), acts=listed["acts"])

    def _run(self, source: Source, listed: Mapping[str, Any], seat: Seat, arguments: Mapping[str, Any]) -> Result:
        """Raises Failed."""
        _still_granted(source, seat)
        if source.transport == Transport.FOLDER:
            return Result(folder.run(source.name, source.settings, listed["name"], arguments))
        return Result(self._remote.call(source, listed, arguments))


def _still_granted(source: Source, seat: Seat) -> None:
    """Raises Failed where it was taken from the seat, out of use or changed since the attempt began."""
    same = Source.objects.filter(id=source.id, enabled=True).only("settings", "transport", "name").first()
    if same is None or source.name not in seat.sources:
        raise failed("source_gone", source.name)
    if (same.name, same.transport, same.settings) != (source.name, source.transport, source.settings):
        raise failed("source_changed", source.name)
