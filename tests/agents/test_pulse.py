"""An asynchronous stream in a thread that stays awake."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from messaging.agents.providers.base import PULSE
from messaging.agents.providers.pulse import beating


def test_bits_come_in_order():
    async def bits() -> AsyncIterator[str]:
        for n in range(100):
            yield str(n)

    assert list(beating(bits)) == [str(n) for n in range(100)]


def test_silence_beats():
    async def bits() -> AsyncIterator[str]:
        await asyncio.sleep(2.5 * PULSE)
        yield "late"

    assert list(beating(bits)) == ["", "", "late"]


def test_what_is_raised_comes_after_what_was_said():
    async def bits() -> AsyncIterator[str]:
        yield "half"
        raise ValueError("no")

    beat = beating(bits)
    assert next(beat) == "half"
    with pytest.raises(ValueError, match="no"):
        next(beat)


def test_closing_gives_the_request_up():
    ended = []

    async def bits() -> AsyncIterator[str]:
        try:
            yield "one"
            await asyncio.sleep(60)
        finally:
            ended.append(True)

    beat = beating(bits)
    assert next(beat) == "one"
    assert next(beat) == ""
    began = time.monotonic()
    beat.close()  # type: ignore[attr-defined]
    assert ended == [True]
    assert time.monotonic() - began < 1


def test_a_slow_listener_holds_the_stream_up():
    """What nobody takes is not gathered without end."""
    made = []

    async def bits() -> AsyncIterator[str]:
        for n in range(1000):
            made.append(n)
            yield "x"

    beat = beating(bits)
    next(beat)
    assert len(made) < 10
    beat.close()  # type: ignore[attr-defined]
