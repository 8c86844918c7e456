"""The short way in answers as the long one does, and leaves to it whatever is not plain."""

from __future__ import annotations

import asyncio
import json

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from django.core.asgi import get_asgi_application
from django.db import IntegrityError, InterfaceError, OperationalError
from django.utils import timezone

from collab.api import encode
from collab.api.frames import frame_out
from collab.api.gives import MessageOut
from collab.api.lean import LeanPosts
from collab.live.encode import Encoded
from messaging.actions import audit
from messaging.roster import known
from messaging.roster.models import Account, Membership, Session, Token
from messaging.transcript.models import AuditEntry, Message
from tests.cast import Room, frames, token

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "agents"])
stock = get_asgi_application()
#: What two answers to the same wish may differ in.
OWN = {"id", "seq", "created_at", "deliveries"}


@pytest.fixture
async def room(transactional_db):
    known.forget()
    return await sync_to_async(Room.open)()


class Answer:
    """A response, taken apart."""

    def __init__(self, start, body):
        self.status = start["status"]
        self.headers = {name.decode().lower(): value.decode() for name, value in start["headers"]}
        self.body = json.loads(body) if self.headers["content-type"].startswith("application/json") else {}

    @property
    def alike(self):
        kept = {key: value for key, value in self.body.items() if key not in OWN}
        headers = {name: value for name, value in self.headers.items() if name != "content-length"}
        return self.status, kept, headers


async def ask(app, body, *, secret="", path="/api/v1/sessions/welcome/messages", method="POST", host="testserver",
              query=b"", parts=1, headers=(), scheme="http"):  # fmt: skip
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    scope = {"type": "http", "http_version": "1.1", "method": method, "path": path, "raw_path": path.encode(),
             "query_string": query, "root_path": "", "scheme": scheme, "client": ("127.0.0.1", 1), "server": ("testserver", 80),
             "headers": [(b"host", host.encode()), (b"content-type", b"application/json"), *headers,
                         (b"content-length", str(len(raw)).encode()),
                         *([(b"authorization", f"Bearer {secret}".encode())] if secret else [])]}  # fmt: skip
    wire = ApplicationCommunicator(app, scope)
    size = max(1, -(-len(raw) // parts))
    pieces = [raw[n : n + size] for n in range(0, len(raw), size)] or [b""]
    for n, piece in enumerate(pieces, 1):
        await wire.send_input({"type": "http.request", "body": piece, "more_body": n < len(pieces)})
    start = await wire.receive_output(10)
    answer = b""
    while True:
        event = await wire.receive_output(10)
        answer += event.get("body", b"")
        if not event.get("more_body"):
            break
    await wire.wait(10)
    return Answer(start, answer)


async def known_token(handle):
    """A token by which somebody has posted before."""
    secret = await sync_to_async(token)(handle)
    await ask(stock, {"text": "before", "audience": "everyone" if handle == "scout" else "participants"}, secret=secret)
    return secret


class Watch:
    """The stock application, counting who came by."""

    def __init__(self):
        self.asked = 0

    async def __call__(self, scope, receive, send):
        self.asked += 1
        await stock(scope, receive, send)


PLAIN = {
    "to people": ("alex", {"text": "hello", "audience": "participants"}, 201),
    "to the agent": ("alex", {"text": "hello", "audience": "active_agent"}, 201),
    "to everyone": ("alex", {"text": "hello", "audience": "everyone", "source": {"client": "x"}}, 201),
    "to one person": ("alex", {"text": "hällo \U0001f600", "audience": "participant:sam"}, 201),
    "by default": ("sam", {"text": "hello"}, 201),
    "by a viewer to the agent": ("vic", {"text": "hello", "audience": "active_agent"}, 403),
    "by somebody outside": ("xan", {"text": "hello", "audience": "participants"}, 404),
    "to nobody": ("alex", {"text": "hello", "audience": "participant:nobody"}, 422),
    "of nothing": ("alex", {"text": "  ", "audience": "participants"}, 422),
    "too long": ("alex", {"text": "x" * 8193, "audience": "active_agent"}, 413),
    "to an unknown parent": ("alex", {"text": "x", "reply_to": "00000000-0000-4000-8000-000000000000"}, 422),
    "by an agent": ("scout", {"text": "hello", "audience": "everyone"}, 201),
    "by an agent that names nobody": ("scout", {"text": "hello"}, 422),
}
ODD = {
    "no JSON": b"{",
    "another shape": {"text": 1},
    "an unknown field": {"text": "x", "audience": "participants", "priority": 1},
    "half a pair": b'{"text":"\\ud800","audience":"participants"}',
    "a NUL": {"text": "a\x00b", "audience": "participants"},
    "a list": [],
    "nothing": b"",
    "not UTF-8": b'{"text":"\xff"}',
    "deeper than anything": b"[" * 2000,
}


@pytest.mark.parametrize(("who", "body", "status"), PLAIN.values(), ids=PLAIN)
@pytest.mark.parametrize("parts", [1, 3])
async def test_what_is_plain_is_answered_as_by_django_without_asking_it(room, who, body, status, parts):
    secret, watch = await known_token(who), Watch()
    long = await ask(stock, body, secret=secret)
    short = await ask(LeanPosts(watch), body, secret=secret, parts=parts)
    assert long.status == status, long.body
    assert short.alike == long.alike
    assert watch.asked == 0


@pytest.mark.parametrize("who", ["alex", "scout"])
async def test_nothing_is_read_in_the_loop(room, who, monkeypatch):
    secret, watch = await known_token(who), Watch()
    monkeypatch.delenv("DJANGO_ALLOW_ASYNC_UNSAFE")
    for _ in range(2):
        answer = await ask(LeanPosts(watch), {"text": "hello", "audience": "everyone"}, secret=secret)
        assert answer.status == 201, answer.body
    assert watch.asked == 0


@pytest.mark.parametrize("body", ODD.values(), ids=ODD)
async def test_what_is_odd_is_answered_by_django(room, body):
    secret, watch = await known_token("alex"), Watch()
    long = await ask(stock, body, secret=secret)
    short = await ask(LeanPosts(watch), body, secret=secret, parts=2)
    assert long.status == 422
    assert short.alike == long.alike
    assert watch.asked == 1
    assert await Message.objects.acount() == 1


ELSEWHERE = {
    "another method": {"method": "GET"},
    "a query": {"query": b"x=1"},
    "a host of somebody else's": {"host": "elsewhere.example"},
    "an escaped name": {"path": "/api/v1/sessions/wel come/messages"},
    "no token": {"secret": ""},
    "no such token": {"secret": "ear_nobody"},
    "a token beyond letters": {"secret": "ear_\u00e9"},
}


@pytest.mark.parametrize("name", [b"authorization", b"host"])
@pytest.mark.parametrize("value", [b"Bearer ear_other", b"elsewhere.example"])
async def test_where_a_header_stands_twice_django_says_which_counts(room, name, value):
    secret, watch, body = await known_token("alex"), Watch(), {"text": "hello", "audience": "participants"}
    long = await ask(stock, body, secret=secret, headers=[(name, value)])
    short = await ask(LeanPosts(watch), body, secret=secret, headers=[(name, value)])
    assert watch.asked == 1
    assert short.status == long.status


@pytest.mark.parametrize("more", ELSEWHERE.values(), ids=ELSEWHERE)
async def test_whatever_else_comes_goes_the_long_way(room, more):
    given = {"secret": await known_token("alex")} | more
    watch, body = Watch(), {"text": "hello", "audience": "participants"}
    long = await ask(stock, body, **given)
    short = await ask(LeanPosts(watch), body, **given)
    assert watch.asked == 1
    assert short.status == long.status


async def test_a_token_that_nobody_has_posted_by_goes_the_long_way_once(room):
    secret, watch = await sync_to_async(token)("alex"), Watch()
    for asked in (1, 1, 1):
        assert (await ask(LeanPosts(watch), {"text": "hello", "audience": "participants"}, secret=secret)).status == 201
        assert watch.asked == asked


FAILURES = {
    "a lost connection": (OperationalError("gone"), 503, "unavailable"),
    "a closed one": (InterfaceError("closed"), 503, "unavailable"),
    "a row refused": (IntegrityError("taken"), 500, "broken"),
    "anything else": (ZeroDivisionError("what"), 500, "broken"),
}


@pytest.mark.parametrize(("error", "status", "code"), FAILURES.values(), ids=FAILURES)
async def test_failures_have_the_apis_one_shape_on_both_ways(room, monkeypatch, error, status, code):
    secret, watch = await known_token("alex"), Watch()

    def fail(draft):
        raise error

    monkeypatch.setattr("messaging.actions.post.post_one", fail)
    body = {"text": "hello", "audience": "participants"}
    long = await ask(stock, body, secret=secret)
    short = await ask(LeanPosts(watch), body, secret=secret)
    assert (short.status, short.body["code"]) == (status, code)
    assert short.alike == long.alike
    assert watch.asked == 0


async def test_where_https_is_the_way_in_both_ways_say_so(room, settings):
    settings.SECURE_HSTS_SECONDS = 3600
    secret, body = await known_token("alex"), {"text": "hello", "audience": "participants"}
    # The middleware has read the setting when it was made, so the long way is asked by an application of its own.
    long = await ask(get_asgi_application(), body, secret=secret, scheme="https")
    short = await ask(LeanPosts(Watch()), body, secret=secret, scheme="https")
    assert short.alike == long.alike
    assert short.headers["strict-transport-security"] == "max-age=3600"
    plain = await ask(LeanPosts(Watch()), body, secret=secret)
    assert "strict-transport-security" not in plain.headers


async def test_a_body_without_end_is_left_to_the_bound(room):
    secret, watch = await sync_to_async(token)("alex"), Watch()
    answer = await ask(LeanPosts(watch), {"text": "x" * 3_000_000, "audience": "participants"}, secret=secret, parts=9)
    assert (answer.status, watch.asked) == (413, 1)


async def test_a_repeat_gives_the_original_and_another_request_a_conflict(room):
    secret, lean = await sync_to_async(token)("alex"), LeanPosts(Watch())
    body = {"text": "hello", "audience": "participants", "client_key": "once"}
    first = await ask(lean, body, secret=secret)
    again = await ask(lean, body, secret=secret)
    other = await ask(lean, body | {"text": "another"}, secret=secret)
    assert [first.status, again.status, other.status] == [201, 200, 409]
    assert again.body == first.body
    assert await Message.objects.acount() == 1


@pytest.mark.parametrize(
    ("lose", "status"),
    [
        (lambda: Token.objects.update(revoked_at=timezone.now()), 401),
        (lambda: Token.objects.all().delete(), 401),
        (lambda: Account.objects.filter(username="sam").update(is_active=False), 401),
        (lambda: Membership.objects.filter(person__handle__spelled="sam").update(left_at=timezone.now()), 404),
        (lambda: Session.objects.update(closed_at=timezone.now()), 404),
        (lambda: Membership.objects.filter(person__handle__spelled="sam").update(role="guest"), 403),
    ],
    ids=["revoked", "deleted", "disabled", "removed", "closed", "demoted"],
)
async def test_what_is_remembered_of_somebody_does_not_outlive_the_right(room, lose, status):
    secret, lean = await sync_to_async(token)("sam"), LeanPosts(Watch())
    path = f"/api/v1/sessions/{room.session.id}/messages"
    bodies = [{"text": "hello", "audience": "active_agent", "client_key": f"k{n}"} for n in range(3)]
    for body in bodies[:2]:
        assert (await ask(lean, body, secret=secret, path=path)).status == 201
    await sync_to_async(lose)()
    assert (await ask(lean, bodies[2], secret=secret, path=path)).status == status
    # What was said under a key is not told to whoever may not read there any more.
    assert (await ask(lean, bodies[0], secret=secret, path=path)).status == (200 if status == 403 else status)
    assert await Message.objects.acount() == 2


async def test_many_at_once_are_each_answered_with_their_own(room):
    secret, lean = await sync_to_async(token)("alex"), LeanPosts(Watch())
    texts = [f"text {n}" for n in range(30)]
    answers = await asyncio.gather(
        *(ask(lean, {"text": text, "audience": "participants"}, secret=secret) for text in texts)
    )
    assert [answer.body["text"] for answer in answers] == texts


def test_the_quick_encoding_is_the_contracts_shape(transactional_db):
    room = Room.open()
    room.say("alex", "hello")
    room.say("alex", "a question", "active_agent")
    room.say("alex", "to you", ["participant:sam", "participant:mo"])
    room.say("sam", "all", "everyone")
    told = frames(room.session.id)
    assert {frame.kind for frame in told} >= {"message", "disposition", "member"}
    for frame in told:
        assert json.loads(Encoded(frame).text(html=False)) == frame_out(frame).model_dump(mode="json")
        if frame.kind == "message":
            assert json.loads(encode.message(frame.body)) == MessageOut.from_orm(frame.body).model_dump(mode="json")


@pytest.mark.parametrize(("audience", "status", "written"), [("active_agent", 403, 1), ("participants", 201, 0)])
async def test_what_is_refused_for_want_of_a_right_is_on_record_whichever_way_it_came(room, audience, status, written):
    secret = await known_token("vic")
    watch = Watch()
    audit.forget()
    answer = await ask(LeanPosts(watch), {"text": "hello", "audience": audience}, secret=secret)
    assert (answer.status, watch.asked) == (status, 0)
    rows = await sync_to_async(lambda: list(AuditEntry.objects.filter(verb="refused")))()
    assert len(rows) == written
    assert all(
        (row.actor, row.session, row.detail["capability"]) == ("vic", room.session.id, "post_agent") for row in rows
    )
