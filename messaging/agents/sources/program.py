"""A program as an MCP server: JSON lines over its pipes, each of bounded length, and its end with the connection."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from messaging.agents.sources import keeper
from messaging.agents.sources.seen import Overflow, Seen
from messaging.domain.source import MAX_MESSAGE, may_pass

if TYPE_CHECKING:
    from asyncio.subprocess import Process

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.client._transport import TransportStreams
    from mcp.shared.message import SessionMessage

#: What every program gets of the agents' environment, beside the variables that its source names.
_PASSED = (
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR",
)  # fmt: skip
#: Seconds that a program has to end once its input is closed, and that its keeper has to end it.
_GRACE, _PATIENCE = 1.0, 5.0
_STEP = 0.01
#: Bytes that a line counts at least: to read a short one costs as much.
_LEAST = 64


class NoVariable(Exception):
    """A variable that is to be passed on is not set."""


def environment(names: Sequence[str], environ: Mapping[str, str]) -> dict[str, str]:
    """What the program gets to know: nothing of Earshot's. Raises NoVariable."""
    if any(name not in environ for name in names):
        raise NoVariable
    kept = {name: value for name, value in environ.items() if name in _PASSED or name.startswith("LC_")}
    return kept | {name: environ[name] for name in names if may_pass(name)}


@asynccontextmanager
async def program(command: Sequence[str], environ: Mapping[str, str], seen: Seen) -> AsyncIterator[TransportStreams]:
    """Starts the program and ends it, with all that it started, whatever happens meanwhile."""
    import anyio
    from mcp.shared.message import SessionMessage

    send, heard = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    said, receive = anyio.create_memory_object_stream[SessionMessage](0)
    process, line = await _start(command, environ)
    try:
        async with send, heard, said, receive, anyio.create_task_group() as tasks:
            tasks.start_soon(_hear, process, send, seen)
            tasks.start_soon(_say, process, receive)
            try:
                yield heard, said
            finally:
                with anyio.CancelScope(shield=True):
                    await _end(process, line, seen)
                tasks.cancel_scope.cancel()
    finally:
        _close(line)


async def _start(command: Sequence[str], environ: Mapping[str, str]) -> tuple[Process, list[int]]:
    """The keeper, and this end of its line: whoever holds it keeps the program alive."""
    theirs, ours = os.pipe()
    words = (sys.executable, "-I", "-S", str(Path(keeper.__file__)), str(theirs), *command)
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(environ),
            pass_fds=(theirs,),
            limit=MAX_MESSAGE,
            start_new_session=True,
        )
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    return process, [ours]


def _close(line: list[int]) -> None:
    """Lets go of the program, once."""
    while line:
        os.close(line.pop())


async def _hear(process: Process, send: MemoryObjectSendStream[SessionMessage | Exception], seen: Seen) -> None:
    import anyio
    from mcp.shared.message import SessionMessage
    from mcp_types import jsonrpc_message_adapter

    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
        async with send:
            while line := await _line(process, seen):
                # A stray word on the output is not worth a connection: whoever waits for an answer waits on.
                with suppress(ValueError):
                    await send.send(SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False)))


async def _line(process: Process, seen: Seen) -> bytes:
    """The next line; empty at the end, and where more came than is taken."""
    assert process.stdout is not None  # noqa: S101 -- it was started with pipes
    try:
        line = await process.stdout.readline()
        seen.count(max(len(line), _LEAST))
    except Overflow:
        return b""
    except ValueError:
        with suppress(Overflow):
            seen.overflow()
        return b""
    if not line:
        seen.code = seen.code or await _why(process)
    return line


async def _why(process: Process) -> str:
    """What the keeper says of a program whose output ended."""
    await _ended(process, _GRACE)
    return "source_program" if process.returncode == keeper.NO_PROGRAM else "source_ended"


async def _say(process: Process, receive: MemoryObjectReceiveStream[SessionMessage]) -> None:
    assert process.stdin is not None  # noqa: S101 -- it was started with pipes
    with suppress(OSError):
        async for one in receive:
            process.stdin.write(one.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
            await process.stdin.drain()


async def _end(process: Process, line: list[int], seen: Seen) -> None:
    """As the protocol wants it: the input closes, and what does not end by itself then is ended."""
    with suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
    if not seen.broken:
        await _ended(process, _GRACE)
    _close(line)
    await _ended(process, _PATIENCE)
    # Nothing public lets go of pipes that something out of reach may hold open.
    process._transport.close()  # type: ignore[attr-defined]  # noqa: SLF001


async def _ended(process: Process, seconds: float) -> None:
    """Waits for it, so long at most. `wait` would wait for the ends of its pipes, too."""
    until = asyncio.get_running_loop().time() + seconds
    while process.returncode is None and asyncio.get_running_loop().time() < until:  # noqa: ASYNC110 -- as it says
        await asyncio.sleep(_STEP)
