"""What a client says over its socket. Closed types first; unknown types and fields are refused."""

from __future__ import annotations

import json
import time
from typing import Any
from uuid import UUID

from django.db import InterfaceError, OperationalError
from pydantic import ValidationError

from collab.api.gives import MessageOut
from collab.api.messages import draft_of
from collab.api.takes import PostIn
from collab.api.writer import post
from collab.live import encode
from messaging.actions.draft import Refusal
from messaging.roster.access import Viewer

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
        return encode.plain("error", client_key=None, code="invalid", detail=str(error), field="")
    key = data.get("client_key") if isinstance(data.get("client_key"), str) else None
    if data.pop("type", None) != "post":
        return encode.plain(
            "error", client_key=key, code="not_available", detail="This frame is not available.", field="type"
        )
    return await _post(viewer, session, data, key, token)


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
    try:
        body = PostIn.model_validate_json(json.dumps(data))
        posted = await post(draft_of(viewer, session, body, token))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        return encode.plain(
            "error", client_key=key, code="invalid", detail=first["msg"], field=".".join(map(str, first["loc"]))
        )
    except (Refusal, OperationalError, InterfaceError) as error:
        told = error if isinstance(error, Refusal) else Refusal.unavailable()
        return encode.plain("error", client_key=key, code=told.code, detail=told.detail, field=told.field)
    message = MessageOut.from_orm(posted.message).model_dump(mode="json")
    return encode.plain("posted", client_key=key, message=message)
