"""A loop in a thread of its own, for whoever must not fall asleep while it waits for what runs there."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import wait
from threading import Thread
from typing import Any, TypeVar

T = TypeVar("T")
#: Seconds after which the waiting thread looks whether it is to go on.
LOOK_EVERY = 0.5
#: Seconds that the thread is waited for at the end: it is a daemon, and holds nothing that matters by then.
_PATIENCE = 2.0


class TooLong(Exception):
    """The time was up."""


class Loop:
    """Begins with the first wait and ends with `close`; one thread uses it."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: Thread | None = None

    def wait(self, work: Coroutine[Any, Any, T], seconds: float, look: Callable[[], None] | None = None) -> T:
        """What the work gives. Raises TooLong, and whatever `look` or the work raises; the work is cancelled then."""
        future = asyncio.run_coroutine_threadsafe(work, self._running())
        until = time.monotonic() + seconds
        try:
            while not future.done():
                left = until - time.monotonic()
                if left <= 0:
                    raise TooLong
                wait([future], min(LOOK_EVERY, left))
                if look is not None:
                    look()
            return future.result()
        finally:
            future.cancel()

    def close(self) -> None:
        """Ends the loop, and what still runs in it."""
        if self._loop is None or self._thread is None:
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_PATIENCE)
        self._loop = self._thread = None

    def _running(self) -> asyncio.AbstractEventLoop:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = Thread(target=_turn, args=[self._loop], name="source", daemon=True)
            self._thread.start()
        return self._loop


def _turn(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    try:
        loop.run_forever()
        left = asyncio.all_tasks(loop)
        for task in left:
            task.cancel()
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
    finally:
        loop.close()
