"""A server elsewhere: Streamable HTTP with its key, on its own address alone, so much and no more."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from messaging.agents.sources.seen import Seen
from messaging.domain.source import MAX_MESSAGE

if TYPE_CHECKING:
    import httpx2
    from mcp.client._transport import TransportStreams

#: Seconds that a connection may take to stand.
_CONNECT = 10.0
_REFUSED = (401, 403)


@asynccontextmanager
async def server(url: str, key: str, seconds: float, seen: Seen) -> AsyncIterator[TransportStreams]:
    """A connection to the server. The library follows a redirect on the same address alone, so no other gets the key.

    seconds: of silence, after which a request is given up.
    """
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    # What is packed could be a thousand times what came.
    headers = {"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {key}"} if key else {})
    timeout = httpx2.Timeout(_CONNECT, read=seconds)

    async def came(response: httpx2.Response) -> None:
        _note(response, seen)

    async with (
        httpx2.AsyncClient(headers=headers, timeout=timeout, event_hooks={"response": [came]}) as client,
        streamable_http_client(url, http_client=client, max_sse_event_size=MAX_MESSAGE) as streams,
    ):
        yield streams


def _note(response: httpx2.Response, seen: Seen) -> None:
    """Counts what comes, and keeps what the server says of the key."""
    seen.answered = True
    if response.status_code in _REFUSED:
        seen.code = "source_refused"
    if response.headers.get("content-encoding", "identity") != "identity":
        seen.overflow()
    response.stream = _counted(response.stream, seen)


def _counted(stream: httpx2.SyncByteStream | httpx2.AsyncByteStream, seen: Seen) -> httpx2.AsyncByteStream:
    import httpx2

    class Counted(httpx2.AsyncByteStream):
        """The same bytes, until there are too many."""

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for part in stream:  # type: ignore[union-attr]
                seen.count(len(part))
                yield part

        async def aclose(self) -> None:
            """Lets go of the connection."""
            await stream.aclose()  # type: ignore[union-attr]

    return Counted()
