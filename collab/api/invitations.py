"""Invitations to a session by link."""

from __future__ import annotations

from dataclasses import asdict

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from ninja import Router, Status

from collab.api.auth import person
from collab.api.gives import ErrorOut, InvitationMade, InvitationOut, SessionOut
from collab.api.sessions import session_out
from collab.api.takes import InvitationIn, RedeemIn
from messaging.actions import invite as inviting
from messaging.actions import redeem as redeeming
from messaging.actions import revoke_invitation as revoking
from messaging.roster import access
from messaging.roster import invitations as reading

router = Router(tags=["invitations"])
_ERRORS = {401: ErrorOut, 403: ErrorOut, 404: ErrorOut, 422: ErrorOut}


@router.get("/sessions/{session}/invitations", response={200: list[InvitationOut], **_ERRORS})
def invitations(request: HttpRequest, session: str) -> list[InvitationOut]:
    """A session's invitations, newest first, for who may manage its members. Never their codes."""
    who = person(request)
    rows = reading.of_session(who, access.session(who, session))
    return [InvitationOut(**asdict(row)) for row in rows]


@router.post("/sessions/{session}/invitations", response={201: InvitationMade, **_ERRORS})
def create_invitation(request: HttpRequest, session: str, body: InvitationIn) -> Status[InvitationMade]:
    """Makes a link by which people of the installation join; takes the right to manage members."""
    who = person(request)
    made = inviting.invite(who, access.session(who, session), body.role, most=body.most, hours=body.hours)
    link = settings.ENVIRONMENT.address + reverse("web:join", args=[made.code])
    shown = asdict(reading.view(made.invitation))
    return Status(201, InvitationMade(**shown, code=made.code, link=link))


# Before the next: its address would be an invitation's.
@router.post("/invitations/redeem", response={200: SessionOut, 409: ErrorOut, **_ERRORS})
def redeem(request: HttpRequest, body: RedeemIn) -> SessionOut:
    """Joins by a code. A code that opens nothing (any more) is 404; one whose places are taken 409, `used_up`."""
    who = person(request)
    return session_out(who, redeeming.redeem(who, body.code))


@router.delete("/invitations/{invitation}", response={204: None, **_ERRORS})
def delete_invitation(request: HttpRequest, invitation: str) -> Status[None]:
    """Takes an invitation back; who has come in by it stays."""
    revoking.revoke(person(request), invitation)
    return Status(204, None)
