"""A connection to one MCP server, which lives in a task of its own: what is opened there is closed there."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, TypeAlias

from messaging.agents.providers import key_file
from messaging.agents.providers.base import ProviderError
from messaging.agents.sources.program import NoVariable, environment, program
from messaging.agents.sources.seen import Seen
from messaging.agents.sources.server import server
from messaging.domain.source import Transport, fault, seconds

if TYPE_CHECKING:
    from mcp import Client
    from mcp.client._transport import TransportStreams

    Request: TypeAlias = Callable[[Client], Awaitable[Any]]
#: Seconds that a connection has to end by itself, and to be ended.
_WIND_UP, _PATIENCE = 3.0, 8.0


class Unreached(Exception):
    """Nothing came of a request, and the connection is of no use any more. It carries a code of `reason.SOURCE`."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def load() -> None:
    """Loads the library, which takes seconds; what it logs may quote what came."""
    import mcp.client.streamable_http  # noqa: F401

    for name in ("mcp", "client", "httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


class Line:
    """Opened at the first request. One request at a time."""

    def __init__(self, transport: str, settings: Mapping[str, Any]) -> None:
        self._transport, self._settings = transport, settings
        self._seen = Seen()
        self._wanted: asyncio.Queue[tuple[Request, asyncio.Future[Any]] | None] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None

    async def ask(self, request: Request) -> Any:
        """What the request gives, or raises. Raises Unreached where the connection is none, or broke."""
        if self._task is None:
            self._task = asyncio.create_task(self._live())
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._seen.begin()
        await self._wanted.put((request, answer))
        await asyncio.wait({answer, self._task}, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            raise Unreached(self._why(self._task))
        if answer.exception() is not None and (self._seen.broken or self._seen.code):
            raise Unreached(self._seen.code)
        return answer.result()

    async def close(self, *, now: bool = False) -> None:
        """Ends the connection and what was started for it. now: without waiting for it to end by itself."""
        if self._task is None:
            return
        if now:
            self._seen.broken = True
            self._task.cancel()
        self._wanted.put_nowait(None)
        _, left = await asyncio.wait({self._task}, timeout=_WIND_UP)
        if left:
            self._seen.broken = True
            self._task.cancel()
            await asyncio.wait({self._task}, timeout=_PATIENCE)

    async def _live(self) -> None:
        from mcp import Client

        reached = _reach(self._transport, self._settings, self._seen)
        # No sampling, no elicitation, no roots: without something to answer them with, none is offered.
        async with Client(
            reached, cache=None, client_info=_myself(), read_timeout_seconds=seconds(self._settings)
        ) as client:
            while (wanted := await self._wanted.get()) is not None:
                request, answer = wanted
                try:
                    given = await request(client)
                except Exception as error:  # noqa: BLE001 -- it is raised where it was asked
                    if not answer.done():
                        answer.set_exception(error)
                else:
                    if not answer.done():
                        answer.set_result(given)

    def _why(self, task: asyncio.Task[None]) -> str:
        """Why the connection ended before the answer came."""
        error = None if task.cancelled() else task.exception()
        return self._seen.code or _code(error) or ("source_nonsense" if self._seen.answered else "source_unreachable")


def _code(error: BaseException | None) -> str:
    """What a connection ended of; empty where that says nothing."""
    import httpx2

    match error:
        case Unreached():
            return error.code
        case BaseExceptionGroup():
            return next((code for one in error.exceptions if (code := _code(one))), "")
        case httpx2.ConnectError() | httpx2.ConnectTimeout():
            return "source_unreachable"
        case httpx2.TimeoutException() | TimeoutError():
            return "source_timeout"
        case httpx2.TransportError():
            return "source_ended"
        case OSError():
            return "source_program"
    return ""


def _myself() -> Any:
    from mcp_types import Implementation

    return Implementation(name="earshot", version="1")


def _reach(transport: str, settings: Mapping[str, Any], seen: Seen) -> AbstractAsyncContextManager[TransportStreams]:
    """Raises Unreached."""
    if transport not in (Transport.STDIO, Transport.HTTP) or fault(transport, settings) is not None:
        raise Unreached("source_settings")
    if transport == Transport.HTTP:
        return server(settings["url"], _key(settings), seconds(settings), seen)
    try:
        return program(settings["command"], environment(settings.get("env") or [], os.environ), seen)
    except NoVariable:
        raise Unreached("source_env") from None


def _key(settings: Mapping[str, Any]) -> str:
    """The bearer token; empty where none is wanted. Raises Unreached."""
    try:
        if settings.get("key_file"):
            key = key_file.read(settings["key_file"]).strip()
        elif settings.get("key_env"):
            key = os.environ.get(settings["key_env"], "").strip()
        else:
            return ""
    except ProviderError:
        raise Unreached("source_key") from None
    if not key or not key.isascii() or not key.isprintable():
        raise Unreached("source_key")
    return key
