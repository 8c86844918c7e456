"""A session's messages: post, read, follow. What agents read comes from their own face."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from django.http import HttpRequest
from ninja import Query, Router, Status
from pydantic import Field

from collab.agentapi import mail
from collab.api.auth import caller, person, token_of
from collab.api.frames import frame_out
from collab.api.gives import ChangesOut, ErrorOut, MailPage, MessageOut, PageOut, PostedOut
from collab.api.refuse import refuse_unknown
from collab.api.takes import In, PostIn
from collab.processes.writer import post_one
from messaging.actions.draft import Draft
from messaging.roster import access
from messaging.roster.access import AgentCaller, Caller
from messaging.transcript import changes as transcript_changes
from messaging.transcript import read

router = Router(tags=["messages"])
_ERRORS = {401: ErrorOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut}
_MOST = 2**53


class PageQuery(In):
    """Where to read, and what."""

    model_config = In.model_config | {"strict": False}
    after: int | None = Field(default=None, ge=0, le=_MOST)
    before: int | None = Field(default=None, ge=0, le=_MOST)
    limit: int = Field(default=50, ge=1, le=200)
    filter: Literal["all", "human", "agent"] = "all"


class ChangesQuery(In):
    """Where to go on."""

    model_config = In.model_config | {"strict": False}
    after: int = Field(default=0, ge=0, le=_MOST)


def draft_of(who: Caller, session: str | UUID, body: PostIn, token: str = "") -> Draft:
    """A request's body as a draft. `token`: the hash of the bearer token that it came with."""
    source = {
        key: value for key, value in (("client", body.source.client), ("shortcut", body.source.shortcut)) if value
    }
    return Draft(
        who,
        session,
        body.text,
        body.audience,
        body.dispatch,
        body.delivery,
        body.client_key,
        body.reply_to,
        body.on_behalf_of,
        list(body.mentions),
        source,
        token=token,
    )


@router.post(
    "/sessions/{session}/messages",
    response={200: PostedOut, 201: PostedOut, 409: ErrorOut, 413: ErrorOut, 429: ErrorOut, **_ERRORS},
)
def create_message(request: HttpRequest, session: str, body: PostIn) -> Status[PostedOut]:
    """Posts a message: 201, or 200 with the original for a repeat of its client_key."""
    who = caller(request)
    posted = post_one(draft_of(who, session, body, token_of(request)))
    shown = mail.redacted(posted.message) if isinstance(who, AgentCaller) else posted.message
    return Status(201 if posted.created else 200, PostedOut.from_orm(shown))


@router.get("/sessions/{session}/messages", response={200: PageOut | MailPage, **_ERRORS})
def messages(request: HttpRequest, session: str, query: Query[PageQuery]) -> PageOut | MailPage:
    """A page, ascending; without a cursor the newest.

    An agent gets its own seat's mailbox by the seat's own numbers; what it is shown thereby counts as delivered.
    """
    refuse_unknown(request, PageQuery)
    who = caller(request)
    room = access.session(who, session)
    if isinstance(who, AgentCaller):
        return mail.page(who, room, after=query.after, before=query.before, limit=query.limit)
    page = read.page(who, room, after=query.after, before=query.before, limit=query.limit, only=query.filter)
    return PageOut(items=[MessageOut.from_orm(view) for view in page.items], next=page.next)


@router.get("/sessions/{session}/changes", response={200: ChangesOut, **_ERRORS})
def changes(request: HttpRequest, session: str, query: Query[ChangesQuery]) -> ChangesOut:
    """Everything since a number, for this viewer."""
    refuse_unknown(request, ChangesQuery)
    who = person(request)
    room = access.session(who, session)
    found = transcript_changes.to(who, room, query.after)
    return ChangesOut(items=[frame_out(frame) for frame in found.frames], next=found.next, more=found.more)
