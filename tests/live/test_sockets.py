"""The live socket: in order, for whom it is for, once read and once rendered whatever the number of sockets."""

from __future__ import annotations

import asyncio
import json

import pytest
from asgiref.sync import sync_to_async
from django.test import Client as Browser
from django.utils import timezone

from collab.live import encode, reading
from collab.live import room as rooms
from collab.live.credential import Credential
from messaging.actions.collect import collect
from messaging.actions.demo import seed
from messaging.actions.manage_members import add_member, change_role, remove_member
from messaging.journal import poke
from messaging.mailbox import lease
from messaging.mailbox.claim import claim
from messaging.mailbox.say import Speaker, answer
from messaging.roster.credentials import hashed
from messaging.roster.models import Account, Session, Token
from messaging.transcript import changes
from tests.cast import agent, person, token
from tests.live.conftest import Client

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "agents"])


async def test_history_comes_first_and_then_ready(connect, say):
    await say("alex", "before")
    frames = await (await connect("sam")).until("ready")
    texts = [frame["message"]["text"] for frame in frames if frame["type"] == "message"]
    assert texts == ["before"]
    assert frames[-1]["seq"] == frames[-2]["seq"]


async def test_what_is_said_arrives_once_in_order(connect, say):
    sam = await connect("sam")
    await sam.until("ready")
    for n in range(5):
        await say("alex", str(n))
    got = [await sam.next() for _ in range(5)]
    assert [frame["message"]["text"] for frame in got] == ["0", "1", "2", "3", "4"]
    assert [frame["seq"] for frame in got] == list(range(got[0]["seq"], got[0]["seq"] + 5))
    assert await sam.quiet()


async def test_a_reader_that_resumes_misses_nothing_and_gets_nothing_twice(connect, say):
    first = await say("alex", "one")
    await say("alex", "two")
    frames = await (await connect("sam", after=first.seq)).until("ready")
    assert [frame["message"]["text"] for frame in frames[:-1]] == ["two"]


async def test_two_readers_see_each_fate_in_the_same_order(connect, say, room):
    readers = [await connect("sam"), await connect("mo")]
    for reader in readers:
        await reader.until("ready")
    await say("alex", "a question", "active_agent")
    await sync_to_async(answered)(room)
    for reader in readers:
        fates = []
        while "responded" not in fates:
            frame = await reader.next()
            ours = frame["type"] == "disposition" and frame["delivery"]["agent"] == "mirror"
            fates += [frame["delivery"]["disposition"]] if ours else []
        assert fates == ["accepted", "queued", "delivered", "responded"]


def answered(room):
    held = claim(room.seat("mirror").id)
    answer(held, "an answer")
    collect(room.session.id)


@pytest.mark.parametrize(("who", "sees"), [("sam", True), ("alex", True), ("mo", False), ("vic", False)])
async def test_a_direct_message_goes_to_its_people_alone(connect, say, who, sees):
    reader = await connect(who)
    await reader.until("ready")
    await say("alex", "psst", "participant:sam")
    await say("alex", "for the room")
    first = await reader.next()
    assert first["message"]["text"] == ("psst" if sees else "for the room")


async def test_a_direct_message_is_not_in_the_history_of_others_either(connect, say):
    await say("alex", "psst", "participant:sam")
    frames = await (await connect("mo")).until("ready")
    assert "psst" not in json.dumps(frames)


async def test_only_who_asks_gets_the_rendered_fragment(connect, say):
    plain, rendered = await connect("sam"), await connect("mo", render="html")
    await plain.until("ready")
    await rendered.until("ready")
    await say("alex", "hello")
    assert "html" not in await plain.next()
    assert "hello" in (await rendered.next())["html"]


@pytest.mark.parametrize(("who", "code"), [("xan", 4404), ("scout", 4403)])
async def test_who_may_not_come_in_is_told_by_a_code(connect, who, code):
    client = await connect(who)
    assert await client.next() == {"type": "close", "code": code}


async def test_hidden_and_absent_close_alike(connect):
    client = await connect("alex", session="no-such-room")
    assert (await client.next())["code"] == 4404


@pytest.mark.parametrize("headers", [(), ((b"authorization", b"Bearer ear_wrong"),), ((b"authorization", b"Basic x"),)])
async def test_without_a_good_credential_nobody_comes_in(room, headers):
    client = await Client("/ws/sessions/welcome", headers).open()
    assert await client.next() == {"type": "close", "code": 4401}
    await client.close()


async def test_a_token_may_come_as_a_subprotocol(room, connect):
    from tests.cast import token

    secret = await sync_to_async(token)("sam")
    client = await Client("/ws/sessions/welcome", subprotocols=["earshot.bearer", secret]).open()
    assert (await client.until("ready"))[-1]["type"] == "ready"
    await client.close()


@pytest.mark.parametrize(
    ("origin", "welcome"),
    [(b"http://testserver", True), (b"http://evil.example", False), (b"http://testserver.evil.example", False), (b"null", False),
     (None, False)],
)  # fmt: skip
async def test_a_cookie_counts_only_from_our_own_pages(room, connect, origin, welcome):
    def cookie():
        browser = Browser()
        browser.force_login(Account.objects.get(username="sam"))
        return browser.cookies["earshot_session"].value

    headers = [(b"host", b"testserver"), (b"cookie", f"earshot_session={await sync_to_async(cookie)()}".encode())]
    headers += [(b"origin", origin)] if origin else []
    client = await Client("/ws/sessions/welcome", headers).open()
    if welcome:
        assert (await client.until("ready"))[-1]["type"] == "ready"
    else:
        assert await client.next() == {"type": "close", "code": 4401}
    await client.close()


@pytest.mark.parametrize(
    "lose",
    [
        lambda: remove_member(person("alex"), seed(), "sam"),
        lambda: Account.objects.filter(username="sam").update(is_active=False),
        lambda: Session.objects.update(closed_at=timezone.now()),
    ],
    ids=["removed", "disabled", "closed"],
)
async def test_who_loses_access_is_let_go_and_hears_nothing_more(connect, say, lose):
    sam, mo = await connect("sam"), await connect("mo")
    await sam.until("ready")
    await mo.until("ready")
    await sync_to_async(lose)()
    frame = await sam.next(timeout=2.5)
    while frame["type"] == "member":
        frame = await sam.next(timeout=2.5)
    assert frame == {"type": "close", "code": 4403}


async def test_who_keeps_access_stays_when_rights_change(connect, say):
    sam = await connect("sam")
    await sam.until("ready")
    await sync_to_async(lambda: change_role(person("alex"), seed(), "mo", "member"))()
    assert (await sam.next())["type"] == "member"
    await say("alex", "still here?")
    assert (await sam.next())["message"]["text"] == "still here?"


async def test_a_new_member_is_announced(connect):
    sam = await connect("sam")
    await sam.until("ready")
    await sync_to_async(lambda: add_member(person("alex"), seed(), "xan", "member"))()
    frame = await sam.next()
    assert (frame["type"], frame["member"]["handle"], frame["member"]["role"]) == ("member", "xan", "member")


async def test_a_lost_poke_loses_nothing(connect, say, monkeypatch):
    sam = await connect("sam")
    await sam.until("ready")
    monkeypatch.setattr(poke, "_transport", lambda _: None)
    await say("alex", "nobody was told")
    assert (await sam.next(timeout=4))["message"]["text"] == "nobody was told"


class TestStreaming:
    async def test_pieces_arrive_as_they_are_said_and_the_answer_after_them(self, connect, say, room):
        sam = await connect("sam")
        await sam.until("ready")
        await say("alex", "a question", "active_agent")
        held = await sync_to_async(lambda: claim(room.seat("mirror").id))()
        await self.speak(room, held, "One ", "two ", "three")
        frames = await sam.until("piece")
        heard = frames[-1]["text"]
        while heard != "One two three":
            heard += (await sam.until("piece"))[-1]["text"]
        await sync_to_async(lambda: (answer(held, heard), collect(room.session.id)))()
        said = (await sam.until("message"))[-1]
        assert (said["message"]["text"], said["message"]["author"]["id"]) == ("One two three", "mirror")

    async def test_who_joins_midway_gets_what_was_said_so_far_and_then_goes_on(self, connect, say, room):
        await say("alex", "a question", "active_agent")
        held = await sync_to_async(lambda: claim(room.seat("mirror").id))()
        await self.speak(room, held, "One ")
        sam = await connect("sam")
        assert (await sam.until("piece"))[-1]["text"] == "One "
        await self.speak(room, held, "two", start=1)
        assert (await sam.until("piece"))[-1]["text"] == "two"

    async def speak(self, room, held, *texts, start=0):
        from messaging.mailbox.say import piece

        for n, text in enumerate(texts, start + 1):
            await sync_to_async(piece)(held, n, text)
            poke.piece(room.session.id, held.turn)
        assert Speaker is not None


class TestPosting:
    async def test_a_post_over_the_socket_is_answered_and_arrives(self, connect):
        sam = await connect("sam")
        await sam.until("ready")
        await sam.send(type="post", text="hi", audience="participants", client_key="k")
        frames = [await sam.next(), await sam.next()]
        kinds = {frame["type"]: frame for frame in frames}
        assert kinds["posted"]["client_key"] == "k"
        assert kinds["posted"]["message"]["id"] == kinds["message"]["message"]["id"]

    async def test_a_stop_is_answered_and_its_turn_ends_for_all(self, connect, say, room):
        await say("sam", "a question", "active_agent")
        held = await sync_to_async(claim)((await sync_to_async(room.seat)("mirror")).id)
        sam, vic = await connect("sam"), await connect("vic")
        for reader in (sam, vic):
            await reader.until("ready")
        await sam.send(type="stop")
        assert (await sam.until("stopped"))[-1] == {"type": "stopped", "stopped": True}
        turn = (await vic.until("turn"))[-1]["turn"]
        assert (turn["id"], turn["state"], turn["window"]) == (str(held.turn), "stopped", "closed")
        await sam.send(type="stop", scope="own")
        assert (await sam.until("stopped"))[-1] == {"type": "stopped", "stopped": False}

    @pytest.mark.parametrize(
        ("who", "frame", "code"),
        [("sam", {"scope": "session"}, "not_yours"), ("vic", {}, "no_capability"), ("sam", {"scope": "all"}, "invalid"),
         ("sam", {"reach": "own"}, "invalid")],
    )  # fmt: skip
    async def test_a_stop_that_cannot_be_is_refused_and_stops_nothing(self, connect, say, room, who, frame, code):
        await say("sam", "a question", "active_agent")
        held = await sync_to_async(claim)((await sync_to_async(room.seat)("mirror")).id)
        client = await connect(who)
        await client.until("ready")
        await client.send(type="stop", **frame)
        assert (await client.until("error"))[-1]["code"] == code
        await sync_to_async(lease.check)(held)

    @pytest.mark.parametrize(
        ("frame", "code", "field"),
        [
            ({"type": "post", "audience": "participants"}, "invalid", "text"),
            ({"type": "post", "text": "hi", "audience": "system"}, "invalid", "audience"),
            ({"type": "post", "text": "hi", "audience": "participants", "author": "mo"}, "invalid", "author"),
            ({"type": "shout"}, "not_available", "type"),
            ({}, "not_available", "type"),
        ],
    )
    async def test_what_cannot_be_is_refused_and_the_socket_stays(self, connect, frame, code, field):
        sam = await connect("sam")
        await sam.until("ready")
        await sam.raw(json.dumps(frame))
        answer = await sam.next()
        assert (answer["type"], answer["code"], answer["field"]) == ("error", code, field)
        await sam.send(type="post", text="still open", audience="participants")
        assert {(await sam.next())["type"], (await sam.next())["type"]} == {"posted", "message"}

    @pytest.mark.parametrize(
        "raw", ["", "{", "[]", "7", "[" * 10000, '"post"', '{"type":"post","text":"\\ud800","audience":"participants"}']
    )
    async def test_nonsense_is_an_error_and_no_more(self, connect, raw):
        sam = await connect("sam")
        await sam.until("ready")
        await sam.raw(raw)
        assert (await sam.next())["type"] == "error"

    async def test_who_may_look_but_not_ask_is_refused(self, connect):
        vic = await connect("vic")
        await vic.until("ready")
        await vic.send(type="post", text="hi", audience="active_agent")
        assert (await vic.next())["code"] == "no_capability"

    async def test_too_many_frames_close_the_socket(self, connect):
        sam = await connect("sam")
        await sam.until("ready")
        for _ in range(120):
            await sam.send(type="shout")
        frames = await sam.until("close")
        assert frames[-1]["code"] == 4429


@pytest.mark.parametrize("count", [1, 200])
async def test_one_read_and_one_rendering_whatever_the_number_of_sockets(connect, say, room, count, monkeypatch):
    sockets = [await self_made(room, render=True) for _ in range(count)]
    reads, renders = counted(monkeypatch)
    live = rooms.Room(room.session.id)
    for socket in sockets:
        await live.join(socket)
    live.epoch = (await sync_to_async(reading.all_positions)([room.session.id]))[room.session.id][1]
    reads.clear()
    renders.clear()
    await say("alex", "hello")
    await rooms.pump([live])
    assert [socket.got[-1]["message"]["text"] for socket in sockets] == ["hello"] * count
    assert (len(reads), len(renders)) == (1, 1)


@pytest.mark.parametrize("count", [1, 200])
async def test_queries_do_not_follow_the_number_of_sockets(say, room, count):
    live = rooms.Room(room.session.id)
    for _ in range(count):
        await live.join(await self_made(room, render=True))
    live.epoch = (await sync_to_async(reading.all_positions)([room.session.id]))[room.session.id][1]
    await say("alex", "hello", "everyone")
    assert await sync_to_async(queries)(live) == 6


def queries(live):
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as captured:
        batch = reading.batches({live.session: live.wanted()[0]})[live.session]
    assert [frame.kind for frame in batch.frames] == ["message"] + ["disposition"] * 4
    return len(captured)


async def self_made(room, *, render):
    """A socket without a network."""
    held = Credential(token=hashed(await sync_to_async(token)("sam")))
    return Fake((await sync_to_async(person)("sam")).id, held, render)


class Fake:
    def __init__(self, who, held, render):
        self.person, self.credential, self.html = who, held, render
        self.seq, self.ended, self.got = 0, False, []

    async def drained(self, patience=None):
        return True

    def put(self, text):
        self.got.append(json.loads(text))

    def end(self, code):
        self.ended = code


def counted(monkeypatch):
    reads, renders = [], []
    of_sessions, message_html = changes.of_sessions, encode.render.message_html
    monkeypatch.setattr(changes, "of_sessions", lambda *a: (reads.append(a), of_sessions(*a))[1])
    monkeypatch.setattr(encode.render, "message_html", lambda view: (renders.append(view.id), message_html(view))[1])
    return reads, renders


async def test_a_socket_that_does_not_keep_up_is_cut(connect, say, monkeypatch):
    from collab.live import consumer, outgoing

    monkeypatch.setattr(outgoing, "MOST_FRAMES", 3)
    hung = asyncio.Event()

    async def stuck(self, text_data=None, bytes_data=None, *, close=False):
        await hung.wait()

    monkeypatch.setattr(consumer.SessionConsumer, "send", stuck)
    client = await connect("sam")
    for n in range(8):
        await say("alex", str(n))
    await asyncio.sleep(0.5)
    hung.set()
    assert (await client.until("close"))[-1]["code"] == 1013


def test_the_cast_is_what_the_tests_think(db):
    seed()
    assert (agent("mirror").kind, Token.objects.count()) == ("agent", 0)
