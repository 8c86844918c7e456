"""The short way in for posts by bearer token: the same checks, without a thread and a middleware for each request.

Django gives every request a thread of its own, which costs several times what the post does. Only what is plain goes
this way: a token by which somebody has posted here before, a well-formed body, an address without frills. Everything
else is passed on to the route as Django serves it, body and all, so that errors of shape get their words in one place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.http.request import split_domain_port, validate_host
from pydantic import ValidationError

from collab.agentapi import mail
from collab.api import encode, refuse
from collab.api.messages import draft_of
from collab.api.takes import PostIn
from collab.processes import writer
from collab.security import HEADER, PAGES, App, Receive, Send
from collab.threads import in_posting_thread
from messaging.actions.draft import Draft, Refusal
from messaging.roster import credentials, known
from messaging.roster.access import AgentCaller, Caller

_PATH = re.compile(r"/api/v1/sessions/([A-Za-z0-9_.-]{1,64})/messages")
#: What the middlewares set on every answer.
_HEADERS = (
    (b"content-type", b"application/json; charset=utf-8"),
    (HEADER.lower().encode(), PAGES.encode()),
    (b"x-frame-options", b"DENY"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)


class LeanPosts:
    """Answers plain posts by token; passes on the rest."""

    def __init__(self, stock: App) -> None:
        self.stock = stock

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request."""
        found = _PATH.fullmatch(scope["path"]) if scope["method"] == "POST" and not scope["query_string"] else None
        token = _token(scope["headers"]) if found else None
        if found is None or token is None:
            await self.stock(scope, receive, send)
            return
        body, last = await _body(receive)
        who = known.caller(token)
        draft = _draft(who, found[1], body, token) if who and last else None
        if draft is None:
            await self.stock(scope, _again(body, receive, last=last), send)
            return
        try:
            posted = await writer.post(draft)
            # What an agent may see of its own message is read, and nothing is read in the loop.
            by_agent = isinstance(who, AgentCaller)
            shown = await in_posting_thread(mail.redacted, posted.message) if by_agent else posted.message
        except Refusal as refusal:
            await refuse.noted_by_thread(draft.author, refusal)
            await _refuse(scope, send, refusal)
        except (OperationalError, InterfaceError, TimeoutError):
            await _refuse(scope, send, Refusal.unavailable())
        except Exception:  # noqa: BLE001 -- the writer has logged it
            await _refuse(scope, send, Refusal.broken())
        else:
            await _answer(scope, send, 201 if posted.created else 200, encode.message(shown, posted=True))


def _token(headers: list[tuple[bytes, bytes]]) -> str | None:
    """The token's hash, of a request for one of our hosts."""
    named = dict(headers)
    if any(sum(name == one for name, _ in headers) > 1 for one in (b"authorization", b"host")):
        return None  # which of two counts is for Django to say
    word, _, token = named.get(b"authorization", b"").partition(b" ")
    if word.lower() != b"bearer" or not token or not _ours(named.get(b"host", b"").decode("latin-1")):
        return None
    return credentials.hashed(token.decode("latin-1"))


@lru_cache(maxsize=64)
def _ours(host: str) -> bool:
    domain, _ = split_domain_port(host)
    return bool(domain) and validate_host(domain, settings.ALLOWED_HOSTS)


async def _body(receive: Receive) -> tuple[bytes, bool]:
    """What came of the body, until it outgrows what one request may hold, and whether that is all of it."""
    event = await receive()
    body = event.get("body", b"")
    while event.get("more_body") and len(body) <= settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
        event = await receive()
        body += event.get("body", b"")
    return body, event["type"] == "http.request" and not event.get("more_body")


def _again(body: bytes, receive: Receive, *, last: bool) -> Receive:
    """The same request once more: what was read, then what is still to come."""
    told = False

    async def events() -> dict[str, Any]:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": not last}

    return events


def _draft(who: Caller, session: str, body: bytes, token: str) -> Draft | None:
    try:
        return draft_of(who, session, PostIn.model_validate_json(body), token)
    except ValidationError:
        return None


async def _refuse(scope: Mapping[str, Any], send: Send, refusal: Refusal) -> None:
    said = json.dumps(refuse.body(refusal.code, refusal.detail, refusal.field)).encode()
    more = [(name.lower().encode(), value.encode()) for name, value in refuse.more_headers(refusal).items()]
    await _answer(scope, send, refusal.status, said, more)


async def _answer(
    scope: Mapping[str, Any], send: Send, status: int, body: bytes, more: Sequence[tuple[bytes, bytes]] = ()
) -> None:
    headers = [*_HEADERS, (b"content-length", str(len(body)).encode()), *more]
    if settings.SECURE_HSTS_SECONDS and scope["scheme"] == "https":
        headers.append((b"strict-transport-security", f"max-age={settings.SECURE_HSTS_SECONDS}".encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
