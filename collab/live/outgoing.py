"""What waits to be sent over one socket, bounded in number and in bytes: any number of readers may be deaf."""

from __future__ import annotations

import asyncio
import sys
from collections import deque

MOST_FRAMES = 1000
#: A thousand frames of everyday size stay below it. One frame alone may be larger.
MOST_BYTES = 4 * 1024 * 1024


class Outgoing:
    """Frames in their order, or the code to close with. Belongs to one loop.

    Bytes are those that a frame takes in memory. A frame that many sockets wait for counts for each of them: which one
    is the last to let go of it, nobody knows.
    """

    def __init__(self) -> None:
        self._frames: deque[tuple[str, int]] = deque()
        self._bytes = 0
        self._code: int | None = None
        self._something = asyncio.Event()
        self._roomy = asyncio.Event()
        self._roomy.set()

    def put(self, text: str) -> bool:
        """Takes a frame; False where it does not fit any more."""
        size = sys.getsizeof(text)
        if len(self._frames) >= MOST_FRAMES or (self._frames and self._bytes + size > MOST_BYTES):
            return False
        self._frames.append((text, size))
        self._bytes += size
        # Only what changes is told: this runs for each frame and each socket.
        if not self._something.is_set():
            self._something.set()
        if self._roomy.is_set() and not self._half_free():
            self._roomy.clear()
        return True

    def end(self, code: int) -> None:
        """Drops what waits; from now on there is nothing but the code."""
        self._frames.clear()
        self._bytes, self._code = 0, code
        self._something.set()
        self._roomy.set()

    async def next(self) -> str | int:
        """The next frame, or the code to close with."""
        while not self._frames and self._code is None:
            self._something.clear()
            await self._something.wait()
        if self._code is not None:
            return self._code
        text, size = self._frames.popleft()
        self._bytes -= size
        if not self._roomy.is_set() and self._half_free():
            self._roomy.set()
        return text

    async def roomy(self, patience: float | None = None) -> bool:
        """Waits until half of it is free, for so many seconds at most; whether it is."""
        if self._roomy.is_set():
            return True
        try:
            async with asyncio.timeout(patience):
                return await self._roomy.wait()
        except TimeoutError:
            return False

    def _half_free(self) -> bool:
        return len(self._frames) <= MOST_FRAMES // 2 and self._bytes <= MOST_BYTES // 2
