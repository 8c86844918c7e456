"""Readers that take nothing: what they cost is bounded, and they keep nobody else waiting."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings

from collab.live import consumer, encode, outgoing
from collab.live import room as rooms
from collab.live.hub import hub
from messaging.actions.draft import Draft
from messaging.actions.manage_members import add_member
from messaging.actions.post import post
from messaging.domain.limit import Limits
from tests.cast import person, token
from tests.live.conftest import Client

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "agents"])
LONG = "x" * 60_000


@pytest.fixture
def deaf(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The network takes nothing of the sockets of whoever is in `deaf.people`, until it is set."""
    hears: Any = asyncio.Event()
    hears.people = set()
    real = consumer.SessionConsumer.send

    async def send(self: Any, text_data: Any = None, bytes_data: Any = None, *, close: bool = False) -> None:
        if self.person in hears.people:
            await hears.wait()
        await real(self, text_data, bytes_data, close=close)

    monkeypatch.setattr(consumer.SessionConsumer, "send", send)
    return hears


async def deafen(deaf: Any, handle: str) -> None:
    deaf.people.add((await sync_to_async(person)(handle)).id)


async def test_a_socket_before_which_too_many_bytes_wait_is_cut(connect, say, deaf, monkeypatch):
    monkeypatch.setattr(outgoing, "MOST_BYTES", 200_000)
    sam, mo = await connect("sam"), await connect("mo")
    await sam.until("ready")
    await mo.until("ready")
    await deafen(deaf, "sam")
    for n in range(8):
        await say("alex", f"{n}{LONG}")
        assert (await mo.next())["message"]["text"][0] == str(n)
    deaf.set()
    heard = await sam.until("close")
    assert heard[-1]["code"] == 1013
    assert len(heard) < 5


async def test_it_resumes_by_its_number_and_misses_nothing(connect, say, deaf, monkeypatch):
    monkeypatch.setattr(outgoing, "MOST_BYTES", 200_000)
    sam = await connect("sam")
    await sam.until("ready")
    await deafen(deaf, "sam")
    for n in range(8):
        await say("alex", f"{n}{LONG}")
    await asyncio.sleep(0.3)
    deaf.set()
    seen = [frame for frame in await sam.until("close") if frame["type"] == "message"]
    again = await connect("sam", after=max(frame["seq"] for frame in seen))
    seen += [frame for frame in await again.until("ready") if frame["type"] == "message"]
    assert [frame["message"]["text"][0] for frame in seen] == list("01234567")


async def test_a_long_history_of_long_messages_arrives_whole_and_once(room, connect, monkeypatch):
    """More than may wait and more than is held of it at a time."""
    monkeypatch.setattr(outgoing, "MOST_BYTES", 200_000)
    monkeypatch.setattr(rooms, "MOST_HELD", 500_000)

    def fill() -> None:
        post([Draft(person("sam"), room.session.id, f"{n:03}{LONG}", "participants") for n in range(60)])

    await sync_to_async(fill)()
    frames = await (await connect("gus")).until("ready", timeout=20)
    texts = [frame["message"]["text"][:3] for frame in frames if frame["type"] == "message"]
    assert texts == [f"{n:03}" for n in range(60)]


async def test_what_a_deaf_reader_is_sent_of_a_history_is_not_held(room, connect, deaf, monkeypatch):
    """It waits with what may wait; the rest of the history is let go of, and read again once it listens."""
    monkeypatch.setattr(outgoing, "MOST_BYTES", 200_000)
    monkeypatch.setattr(rooms, "HELD_FOR", 0.1)
    living: set[int] = set()
    monkeypatch.setattr(encode.Encoded, "__init__", counted(encode.Encoded.__init__, living))
    monkeypatch.setattr(encode.Encoded, "__del__", lambda self: living.discard(id(self)), raising=False)

    def fill() -> None:
        post([Draft(person("sam"), room.session.id, f"{n:03}{LONG}", "participants") for n in range(60)])

    await sync_to_async(fill)()
    await deafen(deaf, "gus")
    gus = await connect("gus")
    await asyncio.sleep(1)
    assert len(living) < 3
    deaf.set()
    frames = await gus.until("ready", timeout=20)
    texts = [frame["message"]["text"][:3] for frame in frames if frame["type"] == "message"]
    assert texts == [f"{n:03}" for n in range(60)]


def counted(real: Any, living: set[int]) -> Any:
    def init(self: Any, frame: Any) -> None:
        living.add(id(self))
        real(self, frame)

    return init


async def test_who_comes_in_and_takes_nothing_keeps_nobody_waiting(room, connect, say, deaf, monkeypatch):
    monkeypatch.setattr(outgoing, "MOST_BYTES", 100_000)
    mo = await connect("mo")
    await mo.until("ready")
    for n in range(3):
        await say("alex", f"{n}{LONG}")
        # Who takes what comes has little waiting, and is not cut.
        assert (await mo.next())["message"]["text"] == f"{n}{LONG}"
    await deafen(deaf, "gus")
    await connect("gus")
    await asyncio.sleep(0.3)
    await say("alex", "hello")
    assert (await mo.next())["message"]["text"] == "hello"


class TestHowMany:
    """Open sockets of one person."""

    @pytest.fixture(autouse=True)
    def two(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(settings, "LIMITS", Limits(sockets_per_person=2))

    async def test_one_too_many_is_refused_with_a_reason_and_the_others_stay(self, connect, say):
        sockets = [await connect("sam"), await connect("sam")]
        for socket in sockets:
            await socket.until("ready")
        third = await connect("sam")
        refused = await third.wire.receive_output(5)
        assert (refused["type"], refused["code"]) == ("websocket.close", 4429)
        assert refused["reason"] == "You have 2 sockets open here, and that is the most: close one first."
        assert len(refused["reason"].encode()) <= 123
        await say("alex", "hello")
        for socket in sockets:
            assert (await socket.next())["message"]["text"] == "hello"

    async def test_others_are_not_counted_with_them(self, connect):
        for handle in ("sam", "sam", "mo", "mo"):
            assert (await (await connect(handle)).until("ready"))[-1]["type"] == "ready"

    async def test_all_sessions_count_together(self, connect, room):
        await sync_to_async(lambda: add_member(person("alex"), room.session, "xan", "member"))()
        for _ in range(2):
            await (await connect("xan")).until("ready")
        assert (await (await connect("xan")).next())["code"] == 4429

    @pytest.mark.parametrize("how", ["closed", "refused", "cut", "broken"])
    async def test_whatever_ends_a_socket_it_is_counted_no_more(self, connect, how, monkeypatch):
        for _ in range(5):
            await self.one_that_ends(connect, how, monkeypatch)
        assert hub().open == {}
        await (await connect("sam")).until("ready")
        assert list(hub().open.values()) == [1]

    async def one_that_ends(self, connect: Any, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
        secret = await sync_to_async(token)("sam")
        path = "/ws/sessions/welcome" if how != "refused" else "/ws/sessions/nowhere"
        client = await Client(path, [(b"authorization", f"Bearer {secret}".encode())]).open()
        if how == "refused":
            assert (await client.next())["code"] == 4404
        else:
            await client.until("ready")
        if how == "cut":
            (socket,) = next(iter(hub().rooms.values())).sockets
            socket.end(1013)
            assert (await client.next())["code"] == 1013
        if how == "broken":
            with monkeypatch.context() as broken:
                broken.setattr(consumer.SessionConsumer, "receive", lambda *_, **__: 1 / 0)
                await client.raw("x")
                with pytest.raises(ZeroDivisionError):
                    await client.wire.wait(5)
            return
        await client.close()

    async def test_a_refused_one_takes_no_place(self, connect):
        first, _ = await connect("sam"), await connect("sam")
        await first.until("ready")
        for _ in range(3):
            assert (await (await connect("sam")).next())["code"] == 4429
        await first.close()
        assert (await (await connect("sam")).until("ready"))[-1]["type"] == "ready"
