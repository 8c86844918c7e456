"""What a client says over its socket. Closed types first; unknown types and fields are refused."""

from __future__ import annotations

import json
import time
from typing import Any
from uuid import UUID

from django.db import InterfaceError, OperationalError
from pydantic import ValidationError

from collab.api import refuse
from collab.api.gives import PostedOut
from collab.api.messages import draft_of
from collab.api.takes import PostIn
from collab.api.turns import StopIn
from collab.live import encode
from collab.processes.writer import post
from collab.threads import in_posting_thread
from messaging.actions import stop as stopping
from messaging.actions.draft import Refusal
from messaging.roster import access
from messaging.roster.access import Forbidden, Hidden, Viewer

MOST_CHARS = 256 * 1024


class Pace:
    """At most 60 frames at once, and 20 a second for long."""

    BURST, RATE = 60.0, 20.0

    def __init__(self) -> None:
        self.left, self.at = self.BURST, time.monotonic()

    def allows(self) -> bool:
        """Whether one more frame may come now."""
        now = time.monotonic()
        self.left = min(self.BURST, self.left + (now - self.at) * self.RATE)
        self.at = now
        self.left -= 1
        return self.left >= 0


async def handle(viewer: Viewer, session: UUID, text: str | None, token: str = "") -> str:
    """Answers one frame with one frame. `token`: the hash of the bearer token by which the socket was opened."""
    try:
        data = _parsed(text)
    except ValueError as error:
        return _error(None, "invalid", str(error), "")
    key = data.get("client_key") if isinstance(data.get("client_key"), str) else None
    try:
        match data.pop("type", None):
            case "post":
                return await _post(viewer, session, data, key, token)
            case "stop":
                return await _stop(viewer, session, data)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        return _error(key, "invalid", first["msg"], ".".join(map(str, first["loc"])))
    except (Refusal, OperationalError, InterfaceError) as error:
        told = error if isinstance(error, Refusal) else Refusal.unavailable()
        await refuse.noted_by_thread(viewer, told)
        return _error(key, told.code, told.detail, told.field)
    return _error(key, "not_available", "This frame is not available.", "type")


def _error(key: str | None, code: str, detail: str, field: str) -> str:
    return encode.plain("error", client_key=key, code=code, detail=detail, field=field)


def _parsed(text: str | None) -> dict[str, Any]:
    if text is None or len(text) > MOST_CHARS:
        raise ValueError("A frame is JSON text of at most 256 KiB.")
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        raise ValueError("A frame is JSON.") from None
    if not isinstance(data, dict):
        raise ValueError("A frame is a JSON object.")
    return data


async def _post(viewer: Viewer, session: UUID, data: dict[str, Any], key: str | None, token: str) -> str:
    body = PostIn.model_validate_json(json.dumps(data))
    posted = await post(draft_of(viewer, session, body, token))
    message = PostedOut.from_orm(posted.message).model_dump(mode="json")
    return encode.plain("posted", client_key=key, message=message)


async def _stop(viewer: Viewer, session: UUID, data: dict[str, Any]) -> str:
    wanted = StopIn.model_validate_json(json.dumps(data))
    return encode.plain("stopped", stopped=await in_posting_thread(_stopped, viewer, session, wanted.scope))


def _stopped(viewer: Viewer, session: UUID, scope: str | None) -> bool:
    try:
        return stopping.stop(viewer, access.session(viewer, session), scope)
    except Forbidden as error:
        raise Refusal(403, error.code, error.detail, capability=error.capability, session=error.session) from error
    except Hidden as error:
        raise Refusal.hidden() from error
