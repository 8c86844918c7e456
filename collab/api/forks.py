"""Sessions that go on from another one, and what comes back from them."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.http import HttpRequest
from ninja import Router, Schema, Status

from collab.api.auth import person
from collab.api.gives import ErrorOut, MessageOut, SessionOut
from collab.api.refuse import invalid
from collab.api.sessions import session_out
from collab.api.takes import ForkIn, MergeIn
from messaging.actions import fork as forking
from messaging.actions import merge as merging
from messaging.roster import access

router = Router(tags=["sessions"])
_ERRORS = dict.fromkeys((401, 403, 404, 409, 413, 422, 429), ErrorOut)


class MergedOut(Schema):
    """The new messages, in order."""

    items: list[MessageOut]


@router.post("/sessions/{session}/fork", response={201: SessionOut, **_ERRORS})
def fork(request: HttpRequest, session: str, body: ForkIn) -> Status[SessionOut]:
    """Opens a session of the caller's that begins with what this one's active agent was told and answered."""
    who = person(request)
    try:
        made = forking.fork(who, access.session(who, session), **body.model_dump())
    except ValidationError as error:
        raise invalid(error) from error
    return Status(201, session_out(who, made))


@router.post("/sessions/{session}/merge", response={201: MergedOut, **_ERRORS})
def merge(request: HttpRequest, session: str, body: MergeIn) -> Status[MergedOut]:
    """Brings chosen messages of a side session or a fork back here, as new ones by the caller: all or none."""
    who = person(request)
    made = merging.merge(
        who,
        access.session(who, session),
        body.source,
        body.messages,
        body.audience,
        dispatch=body.dispatch,
        reason=body.reason,
        confirm=body.confirm,
    )
    return Status(201, MergedOut(items=[MessageOut.from_orm(one) for one in made]))
