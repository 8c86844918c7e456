"""Calls of the tools of MCP servers: over connections of one attempt, bounded in time, and given up with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any
from uuid import UUID

from messaging.agents.sources import given
from messaging.agents.sources.line import Line, Unreached, load
from messaging.agents.sources.loop import Loop, TooLong
from messaging.agents.sources.words import failed
from messaging.agents.tools.base import Failed
from messaging.domain.call import bounded
from messaging.domain.source import MAX_TOOLS, seconds

if TYPE_CHECKING:
    import mcp_types
    from mcp import Client

    from messaging.mailbox.models import Source
#: Seconds that the end of a connection may take in all.
_CLOSING = 12.0


class Remote:
    """The connections of one attempt, each opened by the first call of one of its tools."""

    def __init__(self, look: Callable[[], None] | None = None) -> None:
        self._look = look
        self._loop = Loop()
        self._lines: dict[UUID, Line] = {}

    def call(self, source: Source, listed: Mapping[str, Any], arguments: Mapping[str, Any]) -> str:
        """What the tool gives, as text. Raises Failed, and whatever `look` raises; the connection is closed then."""
        load()
        try:
            result = self._ask(source, partial(_call, source.name, listed, arguments), seconds(source.settings))
        except Unreached as error:
            raise failed(error.code, source.name) from None
        text = given.text_of(result)
        if result.is_error:
            raise Failed("tool_error", text or "The tool failed, and did not say why.")
        return text or "(nothing)"

    def find(self, source: Source, most: float) -> tuple[list[dict[str, Any]], str]:
        """The tools that a source has, as they are kept, and a fault. most: the seconds that it may take."""
        load()
        try:
            return given.listing(source.name, self._ask(source, _tools, most))
        except Unreached as error:
            return [], error.code
        except Failed:
            # Whoever knows no tools says so.
            return [], "source_nonsense"

    def close(self) -> None:
        """Ends all connections, and the programs that were started for them."""
        for source in list(self._lines):
            self._drop(source)
        self._loop.close()

    def _ask(self, source: Source, request: Callable[[Client], Any], most: float) -> Any:
        """Raises Unreached, Failed, and whatever `look` raises."""
        line = self._lines.get(source.id) or Line(source.transport, source.settings)
        self._lines[source.id] = line
        try:
            return self._loop.wait(_asked(line, request), most, self._look)
        except TooLong:
            self._drop(source.id, now=True)
            raise Unreached("source_timeout") from None
        except Failed:
            raise
        except BaseException:
            self._drop(source.id, now=True)
            raise

    def _drop(self, source: UUID, *, now: bool = False) -> None:
        line = self._lines.pop(source)
        try:
            self._loop.wait(line.close(now=now), _CLOSING)
        except TooLong:
            return


async def _asked(line: Line, request: Callable[[Client], Any]) -> Any:
    """Raises Unreached for whatever is no answer, and Failed for what the server says of the call."""
    from mcp.shared.exceptions import MCPError
    from mcp_types import CONNECTION_CLOSED, REQUEST_TIMEOUT
    from pydantic import ValidationError

    try:
        return await line.ask(request)
    except MCPError as error:
        if error.code == REQUEST_TIMEOUT:
            raise Unreached("source_timeout") from None
        if error.code == CONNECTION_CLOSED:
            raise Unreached("source_ended") from None
        raise Failed("tool_error", bounded(given.plain(error.message))) from None
    except (ValidationError, RuntimeError, ValueError):
        raise Unreached("source_nonsense") from None


async def _tools(client: Client) -> list[mcp_types.Tool]:
    """One more than are taken, at most, and in so many pages."""
    found: list[mcp_types.Tool] = []
    cursor = None
    for _ in range(MAX_TOOLS):
        page = await client.list_tools(cursor=cursor)
        found += page.tools
        cursor = page.next_cursor
        if cursor is None or len(found) > MAX_TOOLS:
            break
    return found


async def _call(source: str, listed: Mapping[str, Any], arguments: Mapping[str, Any], client: Client) -> Any:
    """Calls the tool, if it is still what was listed. Raises Failed."""
    import mcp_types

    there, _ = given.listing(source, await _tools(client))
    if not any(one == listed for one in there if one["name"] == listed["name"]):
        raise failed("source_changed", source)
    params = mcp_types.CallToolRequestParams(name=listed["name"], arguments=dict(arguments))
    # Not by `call_tool`: it would hold what comes against a schema that comes from the server as well, and a pattern in
    # one can hold up a process for good.
    return await client.session.send_request(mcp_types.CallToolRequest(params=params), mcp_types.CallToolResult)
