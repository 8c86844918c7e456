"""One message: looked at, and what can be done to it after it was said."""

from __future__ import annotations

from dataclasses import asdict

from django.http import HttpRequest
from ninja import Router

from collab.agentapi import mail
from collab.api.auth import caller, person, token_of
from collab.api.gives import ErrorOut, HistoryOut, HistoryPage, MessageOut, ResentOut
from collab.api.takes import DeleteIn, EditIn, ReclassifyIn, ResendIn
from messaging.actions import delete as deleting
from messaging.actions import edit as editing
from messaging.actions import reclassify as reclassifying
from messaging.actions import resend as resending
from messaging.actions import supersede as superseding
from messaging.roster.access import AgentCaller
from messaging.transcript import history as trail
from messaging.transcript import read

router = Router(tags=["messages"])
_ERRORS = {401: ErrorOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut}
_CHANGED = {200: MessageOut, 409: ErrorOut, **_ERRORS}


@router.get("/messages/{message}", response={200: MessageOut, **_ERRORS})
def get_message(request: HttpRequest, message: str) -> MessageOut:
    """One message in its current state."""
    return MessageOut.from_orm(read.message(person(request), message))


@router.get("/messages/{message}/history", response={200: HistoryPage, **_ERRORS}, by_alias=True)
def history(request: HttpRequest, message: str) -> HistoryPage:
    """Its texts, whom it was for, and every step that it took before each agent, oldest first."""
    rows = trail.history(person(request), message)
    return HistoryPage(items=[HistoryOut(**asdict(row)) for row in rows])


@router.patch("/messages/{message}", response={413: ErrorOut, **_CHANGED})
def edit(request: HttpRequest, message: str, body: EditIn) -> MessageOut:
    """Changes the text of one's own message.

    An agent that was not shown it yet gets the new text, in the same place of its queue; what an agent was shown stays
    on record. The audience stays. 409: `conflict`, it was edited meanwhile; `deleted`.
    """
    view = editing.edit(person(request), message, body.text, body.revision, token_of(request))
    return MessageOut.from_orm(view)


@router.delete("/messages/{message}", response={200: MessageOut, **_ERRORS})
def delete(request: HttpRequest, message: str, body: DeleteIn | None = None) -> MessageOut:
    """Deletes one's own message, or with a reason anybody's, for who moderates; not a direct message of others.

    What an agent was shown cannot be recalled; it is not shown again. What an agent answered may repeat it: with
    `answers` these are deleted, too. The answer is the message without its text, also where it was deleted before.
    """
    given = body or DeleteIn()
    view = deleting.delete(person(request), message, given.reason, token_of(request), answers=given.answers)
    return MessageOut.from_orm(view)


@router.post("/messages/{message}/reclassify", response={413: ErrorOut, 429: ErrorOut, **_CHANGED})
def reclassify(request: HttpRequest, message: str, body: ReclassifyIn) -> MessageOut:
    """Changes who may hear a message, in its current revision; kept and shown with its reason.

    One's own, or anybody's for owners and moderators; a direct message by its author alone. Agents that are named now
    get it as they would a new one; those that are not any more are not shown it again. What an agent answered may
    repeat it: with `answers`, towards people, these become people only, too. 409: `confirm_required`, an
    agent would hear it and `confirm` is not true; `conflict`, nothing would change or it was edited meanwhile;
    `deleted`.
    """
    view = reclassifying.reclassify(
        person(request),
        message,
        body.audience,
        body.reason,
        confirm=body.confirm,
        dispatch=body.dispatch,
        revision=body.revision,
        token=token_of(request),
        answers=body.answers,
    )
    return MessageOut.from_orm(view)


@router.post("/messages/{message}/supersede", response=_CHANGED)
def supersede(request: HttpRequest, message: str) -> MessageOut:
    """Takes a message back from the agents that were not shown it yet; people keep it.

    One's own (an agent's, too), or anybody's for owners and moderators. 409: `too_late`, nothing waits; `deleted`.
    """
    who = caller(request)
    view = superseding.supersede(who, message, token_of(request))
    return MessageOut.from_orm(mail.redacted(view) if isinstance(who, AgentCaller) else view)


@router.post("/messages/{message}/resend", response={429: ErrorOut, **_CHANGED, 200: ResentOut})
def resend(request: HttpRequest, message: str, body: ResendIn | None = None) -> ResentOut:
    """Puts one's own message before its agents once more: what was withdrawn, refused or too late, or was asked and its
    turn is over, for another answer.

    A new delivery of the current text, with the bounds of a post; what is for the active agent goes to the one that is
    active now, and `sent_to` says to whom. 409: `still_waiting`, it waits or is being answered; `conflict`, `delivery`
    is not the newest before its agent, it would go to others than `agents`, or nobody needs it again; `deleted`.
    """
    given = body or ResendIn()
    who, token = person(request), token_of(request)
    done = resending.resend(who, message, given.delivery, token, agents=given.agents)
    return ResentOut(**MessageOut.from_orm(done.message).dict(), sent_to=done.agents)
