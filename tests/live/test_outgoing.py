"""What waits for one socket is bounded in number and in bytes, and its reader gets it in order."""

from __future__ import annotations

import asyncio
import sys

import pytest

from collab.live import outgoing
from collab.live.outgoing import Outgoing

BIG = "x" * 1024 * 1024


async def test_frames_come_in_their_order():
    waiting = Outgoing()
    assert all(waiting.put(str(n)) for n in range(3))
    assert [await waiting.next() for _ in range(3)] == ["0", "1", "2"]


async def test_a_reader_waits_for_the_next_one():
    waiting = Outgoing()
    reader = asyncio.create_task(waiting.next())
    await asyncio.sleep(0)
    assert not reader.done()
    waiting.put("at last")
    assert await asyncio.wait_for(reader, 1) == "at last"


async def test_a_thousand_small_ones_fit_and_no_more():
    waiting = Outgoing()
    assert [waiting.put("x") for _ in range(1001)] == [True] * 1000 + [False]
    await waiting.next()
    assert waiting.put("x")


async def test_no_more_bytes_fit_than_are_allowed():
    waiting = Outgoing()
    taken = 0
    while waiting.put(BIG):
        taken += sys.getsizeof(BIG)
    assert outgoing.MOST_BYTES - sys.getsizeof(BIG) < taken <= outgoing.MOST_BYTES
    await waiting.next()
    assert waiting.put(BIG)


async def test_signs_that_take_more_memory_count_for_more():
    """One sign beyond the common ones makes all signs of a text take four bytes each."""
    plain, wide = Outgoing(), Outgoing()
    text = "x" * (outgoing.MOST_BYTES // 3)
    assert plain.put(text)
    assert plain.put(text)
    assert wide.put(f"{text}\N{GRINNING FACE}")
    assert not wide.put("x" * 1024)


async def test_one_frame_larger_than_all_of_it_is_sent_all_the_same():
    waiting = Outgoing()
    assert waiting.put(BIG * 5)
    assert not waiting.put("x")
    assert len(await waiting.next()) == len(BIG) * 5
    assert waiting.put("x")


async def test_the_end_takes_the_place_of_all_that_waits():
    waiting = Outgoing()
    waiting.put("never sent")
    waiting.end(1013)
    assert await waiting.next() == 1013
    assert await waiting.roomy()


@pytest.mark.parametrize(("text", "count"), [("x", 600), (BIG, 3)])
async def test_room_is_waited_for_until_half_of_it_is_free(text: str, count: int):
    waiting = Outgoing()
    assert await waiting.roomy(0)
    for _ in range(count):
        waiting.put(text)
    assert not await waiting.roomy(0.05)
    waiter = asyncio.create_task(waiting.roomy())
    for _ in range(count - count // 2):
        assert not waiter.done()
        await waiting.next()
    assert await asyncio.wait_for(waiter, 1)
