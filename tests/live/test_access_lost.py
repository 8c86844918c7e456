"""Whoever loses access is let go, whatever it came in by; and nobody's nonsense keeps others waiting."""

from __future__ import annotations

import asyncio

import pytest
from asgiref.sync import sync_to_async
from django.contrib.sessions.models import Session as Login
from django.db import OperationalError
from django.test import Client as Browser
from django.utils import timezone

from collab.live import consumer, encode
from collab.live.hub import hub
from messaging.actions.draft import Draft
from messaging.actions.manage_members import remove_member
from messaging.actions.post import post
from messaging.roster.models import Account, Token
from messaging.transcript import changes, fresh
from messaging.transcript.models import Message
from tests.cast import person, token
from tests.live.conftest import Client

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "agents"])


async def test_a_number_of_the_future_silences_nobody(connect, say):
    dreamer = await connect("gus", after=10**14)
    await dreamer.until("ready")
    sam = await connect("sam")
    await sam.until("ready")
    await say("alex", "hello")
    for reader in (sam, dreamer):
        assert (await reader.next(4))["message"]["text"] == "hello"


def revoke():
    Token.objects.filter(person__handle__spelled="sam").update(revoked_at=timezone.now())


def disable():
    Account.objects.filter(username="sam").update(is_active=False)


async def test_a_revoked_token_closes_its_socket_and_no_other(connect, say):
    sam, mo = await connect("sam"), await connect("mo")
    await sam.until("ready")
    await mo.until("ready")
    await sync_to_async(revoke)()
    assert await sam.next(4) == {"type": "close", "code": 4403}
    await say("alex", "still there?")
    assert (await mo.next(4))["message"]["text"] == "still there?"


@pytest.mark.parametrize("lose", [revoke, disable])
async def test_nothing_is_posted_by_a_socket_whose_right_has_ended(connect, lose):
    sam = await connect("sam")
    await sam.until("ready")
    await sync_to_async(lose)()
    await sam.send(type="post", text="still me", audience="participants", client_key="k")
    assert (await sam.next(4))["type"] == "close"
    assert not await sync_to_async(Message.objects.exists)()


async def signed_in():
    def log_in():
        browser = Browser()
        browser.force_login(Account.objects.get(username="sam"))
        return browser

    browser = await sync_to_async(log_in)()
    cookie = f"earshot_session={browser.cookies['earshot_session'].value}".encode()
    headers = [(b"cookie", cookie), (b"origin", b"http://testserver"), (b"host", b"testserver")]
    return browser, await Client("/ws/sessions/welcome", headers).open()


async def test_signing_out_ends_that_logins_socket_and_not_another_ones(connect, say):
    """F02."""
    browser, one = await signed_in()
    _, other = await signed_in()
    await one.until("ready")
    await other.until("ready")
    await sync_to_async(lambda: browser.post("/sign-out/"))()
    assert await one.next(4) == {"type": "close", "code": 4403}
    await say("alex", "still there?")
    assert (await other.next(4))["message"]["text"] == "still there?"
    await one.close()
    await other.close()


async def test_a_login_that_runs_out_by_time_loses_its_socket(room, connect):
    browser = Browser()
    await sync_to_async(lambda: browser.force_login(Account.objects.get(username="sam")))()
    key = browser.cookies["earshot_session"].value
    headers = [
        (b"origin", b"http://testserver"),
        (b"host", b"testserver"),
        (b"cookie", f"earshot_session={key}".encode()),
    ]
    one, other = await Client("/ws/sessions/welcome", headers).open(), await connect("mo")
    await one.until("ready")
    await other.until("ready")
    await sync_to_async(lambda: Login.objects.filter(session_key=key).update(expire_date=timezone.now()))()
    assert await one.next(2.5) == {"type": "close", "code": 4403}
    assert await other.quiet()
    await one.close()


@pytest.mark.parametrize("origin", [b"http://[", b"http://\xff", b"//", b"http://:80"])
async def test_an_origin_that_is_no_address_opens_nothing(room, origin):
    headers = [(b"origin", origin), (b"host", b"testserver"), (b"cookie", b"earshot_session=x")]
    wire = await Client("/ws/sessions/welcome", headers).open()
    assert await wire.next() == {"type": "close", "code": 4401}
    await wire.close()


async def test_a_nul_in_a_cookie_is_no_cookie(room):
    headers = [(b"origin", b"http://testserver"), (b"host", b"testserver"), (b"cookie", rb'earshot_session="\000aaaa"')]
    wire = await Client("/ws/sessions/welcome", headers).open()
    assert await wire.next() == {"type": "close", "code": 4401}
    await wire.close()


async def test_a_nul_in_the_address_is_nowhere(connect):
    client = await connect("sam", session="wel\x00come")
    assert (await client.next())["code"] == 4404


async def test_history_is_not_made_for_a_socket_that_is_gone(room, connect, monkeypatch):
    def fill():
        for _ in range(10):
            post([Draft(person("sam"), room.session.id, "x", "participants") for _ in range(400)])

    await sync_to_async(fill)()
    made = []
    real = encode.Encoded.text
    monkeypatch.setattr(encode.Encoded, "text", lambda self, *, html: made.append(1) or real(self, html=html))
    gone = await connect("gus")
    await gone.close()
    await asyncio.sleep(1)
    assert len(made) <= 1500


async def test_what_is_said_after_a_removal_does_not_slip_out_while_rights_are_looked_at(
    room, connect, say, monkeypatch
):
    """The removal and a later message are committed between two queries of one reading."""
    # As for what another process has written: this one has it from the table alone.
    monkeypatch.setattr(fresh, "after", lambda session, seq: [])
    gus = await connect("gus")
    await gus.until("ready")
    await say("alex", "so that rights have been looked at once")
    await gus.until("message")
    real = changes.of_sessions

    def slow(after):
        monkeypatch.setattr(changes, "of_sessions", real)
        remove_member(person("alex"), room.session, "gus")
        room.say("alex", "now that gus is gone")
        return real(after)

    monkeypatch.setattr(changes, "of_sessions", slow)
    await say("alex", "hello")
    heard = await gus.until("close", timeout=6)
    assert "now that gus is gone" not in str(heard)


async def test_a_long_history_arrives_whole_though_it_outgrows_the_queue(room, connect):
    def fill():
        for _ in range(6):
            post([Draft(person("sam"), room.session.id, "x", "participants") for _ in range(400)])

    await sync_to_async(fill)()
    frames = await (await connect("gus")).until("ready", timeout=20)
    assert sum(frame["type"] == "message" for frame in frames) == 2400


async def test_what_comes_back_in_an_error_can_be_sent(connect):
    sam = await connect("sam")
    await sam.until("ready")
    for raw in ('{"type":"post","client_key":"\\ud800","text":"x"}', '{"type":"post","\\ud800":1}'):
        await sam.raw(raw)
        assert (await sam.next())["type"] == "error"


async def test_a_database_that_is_away_is_told_and_the_socket_stays(connect, say, monkeypatch):
    sam = await connect("sam")
    await sam.until("ready")
    real = consumer._enter
    monkeypatch.setattr(consumer, "_enter", lambda *_: (_ for _ in ()).throw(OperationalError("away")))
    await sam.send(type="post", text="hello", audience="participants", client_key="k")
    assert (await sam.next())["code"] == "unavailable"
    monkeypatch.setattr(consumer, "_enter", real)
    await sam.send(type="post", text="hello", audience="participants", client_key="k")
    assert (await sam.until("posted"))[-1]["client_key"] == "k"


async def test_an_error_that_nobody_foresaw_closes_the_socket_with_a_code(connect, monkeypatch):
    sam = await connect("sam")
    await sam.until("ready")
    monkeypatch.setattr(consumer, "_enter", lambda *_: 1 / 0)
    await sam.send(type="post", text="hello", audience="participants")
    assert (await sam.until("close"))[-1]["code"] == 1011


async def test_a_socket_that_breaks_leaves_the_hub(room, connect, monkeypatch):
    await (await connect("mo")).until("ready")
    secret = await sync_to_async(token)("sam")
    sam = await Client("/ws/sessions/welcome", [(b"authorization", f"Bearer {secret}".encode())]).open()
    await sam.until("ready")
    assert len(hub().rooms[room.session.id].sockets) == 2
    monkeypatch.setattr(consumer.SessionConsumer, "receive", lambda *_, **__: 1 / 0)
    await sam.send(type="post", text="hello", audience="participants")
    with pytest.raises(ZeroDivisionError):
        await sam.wire.wait(5)
    assert len(hub().rooms[room.session.id].sockets) == 1
