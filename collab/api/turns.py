"""Turns of agents: stopped, or begun afresh."""

from __future__ import annotations

from typing import Literal

from django.http import HttpRequest
from ninja import Router
from pydantic import Field

from collab.api.auth import person
from collab.api.gives import ErrorOut, StoppedOut
from collab.api.takes import In
from messaging.actions import fresh_start as freshly
from messaging.actions import stop as stopping
from messaging.roster import access

router = Router(tags=["turns"])
_ERRORS = {401: ErrorOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut}


class StopIn(In):
    """How much to stop."""

    scope: Literal["own", "session"] | None = Field(
        default=None,
        description=(
            "Left out: the caller's own turn, or any that runs where their role is owner or moderator, and their own "
            "input that waits. `own`: never anybody else's turn. `session`, for owners and moderators alone: every "
            "turn, and all input that waits."
        ),
    )


@router.post("/sessions/{session}/stop", response={200: StoppedOut, **_ERRORS})
def stop(request: HttpRequest, session: str, body: StopIn | None = None) -> StoppedOut:
    """Stops agents at once, and takes back what still waits for them. `stopped`: whether anything ran."""
    who = person(request)
    scope = body.scope if body else None
    return StoppedOut(stopped=stopping.stop(who, access.session(who, session), scope))


@router.post("/sessions/{session}/new", response={200: StoppedOut, 409: ErrorOut, **_ERRORS})
def new(request: HttpRequest, session: str) -> StoppedOut:
    """Stops, then has the session's hosted agents start afresh: nothing said before is in a later request."""
    who = person(request)
    return StoppedOut(stopped=freshly.fresh_start(who, access.session(who, session)))
