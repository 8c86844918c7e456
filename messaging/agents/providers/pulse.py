"""An asynchronous stream for a thread that must not fall asleep in it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import TypeVar

from messaging.agents.providers.base import PULSE

T = TypeVar("T")


def beating(make: Callable[[], AsyncIterator[T]]) -> Iterator[T | str]:
    """What the stream yields, and an empty bit at each `PULSE` of silence.

    The stream runs in one task of a loop of its own, which turns while this thread waits for the next bit.
    Closing this iterator cancels the task, and with it the request.
    """
    with asyncio.Runner() as runner:
        bits: asyncio.Queue[T | str | None] = asyncio.Queue(maxsize=1)

        async def fill() -> None:
            async for bit in make():
                await bits.put(bit)

        task = runner.get_loop().create_task(fill())
        try:
            while (bit := runner.run(_next(bits, task))) is not None:
                yield bit
        finally:
            task.cancel()


async def _next(bits: asyncio.Queue[T | str | None], task: asyncio.Task[None]) -> T | str | None:
    """The next bit, an empty one where none came in time, None at the end. Raises what ended the task."""
    if not bits.empty():
        return bits.get_nowait()
    getting = asyncio.ensure_future(bits.get())
    try:
        await asyncio.wait({getting, task}, timeout=PULSE, return_when=asyncio.FIRST_COMPLETED)
        if getting.done():
            return getting.result()
    finally:
        getting.cancel()
    if task.done():
        task.result()
        return None
    return ""
