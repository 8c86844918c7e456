"""One socket on one session: `/ws/sessions/{id}?after=<seq>`."""

from __future__ import annotations

import asyncio
import logging
from typing import Any
from urllib.parse import parse_qs
from uuid import UUID

from channels.generic.websocket import AsyncWebsocketConsumer
from django.conf import settings
from django.db import InterfaceError, OperationalError

from collab.live import encode
from collab.live.credential import SUBPROTOCOL, Credential, caller_of
from collab.live.hub import Hub, hub
from collab.live.inbound import Pace, handle
from collab.live.outgoing import Outgoing
from collab.live.room import Left
from collab.numbers import number_of
from collab.threads import in_thread
from messaging.actions.draft import Refusal
from messaging.roster import access
from messaging.roster.access import Hidden, Viewer
from messaging.roster.models import Session

log = logging.getLogger(__name__)
NO_LOGIN, ACCESS_GONE, ABSENT, TOO_FAST, BEHIND, BROKEN = 4401, 4403, 4404, 4429, 1013, 1011
TOO_MANY = "You have {most} sockets open here, and that is the most: close one first."


class SessionConsumer(AsyncWebsocketConsumer):
    """Parses, hands on to the hub and the actions, and sends what they queue."""

    person: UUID
    credential: Credential
    session: Session
    hub: Hub | None = None
    html = False
    seq = 0
    ended = False

    async def connect(self) -> None:
        """Accepts first: a browser learns a close code only of an accepted socket."""
        self.outgoing = Outgoing()
        self.pace = Pace()
        await self.accept(SUBPROTOCOL if SUBPROTOCOL in self.scope.get("subprotocols", ()) else None)
        try:
            entered = await in_thread(_enter, dict(self.scope), self._path("session"))
        except (OperationalError, InterfaceError):
            entered = BROKEN
        if isinstance(entered, int):
            await self.close(entered)
            return
        self._ask()
        viewer, self.credential, self.session = entered
        self.person = viewer.id
        if not hub().admit(self.person):
            await self.close(TOO_FAST, TOO_MANY.format(most=settings.LIMITS.sockets_per_person))
            return
        # Nothing is awaited between being admitted and having a hub to leave: else a socket might count for ever.
        self.hub = hub()
        self.sender = asyncio.create_task(self._send_all())
        # A task of its own: while history is sent, the end of the socket must be heard.
        self.joining = asyncio.create_task(self._join(self.hub))

    async def _join(self, hub: Hub) -> None:
        try:
            await hub.join(self.session.id, self)
        except Left:
            return
        except Exception as error:  # noqa: BLE001 -- whatever it is, the client is told to come again
            log.warning("a socket could not be brought up to date: %s", type(error).__name__)
            self.end(BROKEN)

    def _path(self, name: str) -> str:
        return str(self.scope["url_route"]["kwargs"][name])

    def _ask(self) -> None:
        """What the address asks for; nonsense counts as nothing."""
        query = parse_qs(self.scope.get("query_string", b"").decode("latin-1"))
        self.seq = number_of(query.get("after", ["0"])[0]) or 0
        self.html = query.get("render") == ["html"]

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:
        """One frame of the client; it becomes a closed type before anything handles it."""
        if self.hub is None:
            return
        if not self.pace.allows():
            self.end(TOO_FAST)
            return
        try:
            await self._answer(text_data)
        except (OperationalError, InterfaceError):
            told = Refusal.unavailable()
            self.put(encode.plain("error", client_key=None, code=told.code, detail=told.detail, field=told.field))
        except Exception:
            log.exception("a frame could not be answered")
            self.end(BROKEN)

    async def _answer(self, text: str | None) -> None:
        # Whoever came in may have been put out since: a post is looked at as a call of its own.
        entered = await in_thread(_enter, dict(self.scope), str(self.session.id))
        if isinstance(entered, int):
            self.end(ACCESS_GONE)
            return
        self.put(await handle(entered[0], self.session.id, text, self.credential.token))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Whatever ends the socket, a disconnect or an error that nobody foresaw, it leaves the hub."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            if self.hub is not None:
                self.ended = True
                self.joining.cancel()
                self.hub.leave(self.session.id, self)
                self.hub.dismiss(self.person)
                self.sender.cancel()

    def put(self, text: str) -> None:
        """Queues text. A socket before which too much waits is cut; it resumes by its number."""
        if not self.ended and not self.outgoing.put(text):
            self.end(BEHIND)

    async def drained(self, patience: float | None = None) -> bool:
        """Waits until there is room for more, for so many seconds at most; whether there is."""
        return await self.outgoing.roomy(patience)

    def end(self, code: int) -> None:
        """Closes, before anything that still waits to be sent."""
        self.ended = True
        self.outgoing.end(code)

    async def _send_all(self) -> None:
        while True:
            item = await self.outgoing.next()
            if isinstance(item, int):
                await self.close(item)
                return
            await self.send(item)


def _enter(scope: dict[str, Any], name: str) -> tuple[Viewer, Credential, Session] | int:
    """Who comes in, by what, and where to; or the code to close with."""
    known = caller_of(scope)
    if known is None:
        return NO_LOGIN
    who, held = known
    try:
        session = access.session(who, name)
    except Hidden:
        return ABSENT
    return (who, held, session) if isinstance(who, Viewer) else ACCESS_GONE
