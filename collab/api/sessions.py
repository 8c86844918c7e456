"""Sessions, their members and turns."""

from __future__ import annotations

from dataclasses import asdict

from django.core.exceptions import ValidationError
from django.http import HttpRequest
from ninja import Router, Status

from collab.api.auth import caller, person
from collab.api.gives import ErrorOut, MemberOut, SessionOut, TurnOut, TurnsOut
from collab.api.refuse import invalid, taken
from collab.api.takes import MemberIn, MemberPatch, SessionIn, SessionPatch
from messaging.actions.close_session import close_session
from messaging.actions.configure import configure
from messaging.actions.draft import Refusal
from messaging.actions.enrol import Taken
from messaging.actions.manage_members import add_member, change_role, remove_member
from messaging.actions.open_session import Beginning, open_session
from messaging.domain.title import UNTITLED, By
from messaging.roster import access, lookup
from messaging.roster.access import Caller
from messaging.roster.models import Person, Session
from messaging.transcript import build, read

router = Router(tags=["sessions"])
_ERRORS = {401: ErrorOut, 403: ErrorOut, 404: ErrorOut, 409: ErrorOut, 422: ErrorOut}


def session_out(who: Caller, row: Session) -> SessionOut:
    """A session as this member sees it."""
    mine = access.rights(who, row)
    may = [str(capability) for capability in sorted(mine.capabilities)]
    return SessionOut(**asdict(build.session(row)), role=mine.role, capabilities=may)


@router.get("/sessions", response={200: list[SessionOut], **_ERRORS})
def sessions(request: HttpRequest) -> list[SessionOut]:
    """The caller's sessions, newest first."""
    who = caller(request)
    return [session_out(who, row) for row in access.sessions(who)]


@router.post("/sessions", response={201: SessionOut, **_ERRORS})
def create_session(request: HttpRequest, body: SessionIn) -> Status[SessionOut]:
    """Opens a session that the caller owns."""
    who = person(request)
    agent = lookup.agent(body.active_agent) if body.active_agent else None
    if body.active_agent and agent is None:
        raise Refusal.shape("active_agent", "is no agent of this installation")
    try:
        row = open_session(
            Person.objects.get(id=who.id),
            title=body.title or UNTITLED,
            slug=body.slug,
            active_agent=agent,
            beginning=Beginning(By.PERSON if body.title else By.NOBODY, namespace=body.namespace, sources=body.sources),
        )
    except Taken as error:
        raise taken("slug", error) from error
    except ValidationError as error:
        raise invalid(error) from error
    return Status(201, session_out(who, row))


@router.get("/sessions/{session}", response={200: SessionOut, **_ERRORS})
def get_session(request: HttpRequest, session: str) -> SessionOut:
    """One session, by id or slug."""
    who = caller(request)
    return session_out(who, access.session(who, session))


@router.patch("/sessions/{session}", response={200: SessionOut, **_ERRORS})
def patch_session(request: HttpRequest, session: str, body: SessionPatch) -> SessionOut:
    """Changes what is named; takes the right to manage members, and `roles` an owner. `active_agent: null`: none.

    Whoever loses a right has what waits of theirs, undelivered, rejected.
    """
    who = person(request)
    row = access.session(who, session)
    changes = body.model_dump(exclude_unset=True)
    try:
        return session_out(who, configure(who, row, **changes))
    except ValidationError as error:
        raise invalid(error) from error


@router.post("/sessions/{session}/close", response={204: None, **_ERRORS})
def close(request: HttpRequest, session: str) -> Status[None]:
    """Closes a session for good, for its owners: turns end, what waits is rejected, nothing is deleted."""
    who = person(request)
    close_session(who, access.session(who, session))
    return Status(204, None)


@router.get("/sessions/{session}/members", response={200: list[MemberOut], **_ERRORS})
def members(request: HttpRequest, session: str) -> list[MemberOut]:
    """The people and agents of a session, people first. Agents have no roster of people."""
    who = person(request)
    return [MemberOut.from_orm(view) for view in access.members(who, access.session(who, session))]


@router.post("/sessions/{session}/members", response={201: MemberOut, **_ERRORS})
def create_member(request: HttpRequest, session: str, body: MemberIn) -> Status[MemberOut]:
    """Brings somebody in, or gives them another role. An agent's handle seats it, whatever the role says."""
    who = person(request)
    row = access.session(who, session)
    return Status(201, MemberOut.from_orm(add_member(who, row, body.handle, body.role)))


@router.patch("/sessions/{session}/members/{handle}", response={200: MemberOut, **_ERRORS})
def patch_member(request: HttpRequest, session: str, handle: str, body: MemberPatch) -> MemberOut:
    """Gives a member another role."""
    who = person(request)
    return MemberOut.from_orm(change_role(who, access.session(who, session), handle, body.role))


@router.delete("/sessions/{session}/members/{handle}", response={204: None, **_ERRORS})
def delete_member(request: HttpRequest, session: str, handle: str) -> Status[None]:
    """Ends a membership; what waits of it, undelivered, is rejected."""
    who = person(request)
    remove_member(who, access.session(who, session), handle)
    return Status(204, None)


@router.get("/sessions/{session}/turns", response={200: TurnsOut, **_ERRORS})
def turns(request: HttpRequest, session: str) -> TurnsOut:
    """The session's turns with their attempts, newest first."""
    who = person(request)
    found = read.turns(who, access.session(who, session))
    return TurnsOut(items=[TurnOut.from_orm(view) for view in found])
