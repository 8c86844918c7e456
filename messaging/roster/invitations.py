"""Invitations, for those who may see them: who manages a session's members, and whoever holds a code."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from messaging.domain.capability import Capability, Role, invites_to
from messaging.roster import access
from messaging.roster.access import Hidden, Viewer
from messaging.roster.credentials import hashed
from messaging.roster.models import Invitation, Membership, Session

#: People by one link, and hours for which it is good; and what is usual.
MOST_PEOPLE, MOST_HOURS = 100, 720
USUAL_PEOPLE, USUAL_HOURS = 1, 72


@dataclass(frozen=True, slots=True)
class InvitationView:
    """An invitation as those see it who manage members: never its code."""

    id: UUID
    role: str
    most: int
    used: int
    made_by: str
    made_at: datetime
    expires_at: datetime
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class Offer:
    """What whoever holds a code is told before they take it. `open`: whether there is a place left."""

    title: str
    role: str
    invited_by: str
    open: bool


def of_session(viewer: Viewer, session: Session) -> list[InvitationView]:
    """All of a session, newest first. Raises Hidden or Forbidden."""
    access.demand(viewer, session, Capability.MANAGE_MEMBERS)
    rows = Invitation.objects.filter(session=session).select_related("made_by__handle")
    return [view(row) for row in rows.order_by("-made_at", "id")]


def view(row: Invitation) -> InvitationView:
    """One of them."""
    return InvitationView(
        row.id, row.role, row.most, row.used, row.made_by.handle.spelled, row.made_at, row.expires_at, row.revoked_at
    )


def by_id(viewer: Viewer, invitation: str | UUID) -> Invitation:
    """An invitation to a session that the viewer is in. Raises Hidden."""
    try:
        wanted = invitation if isinstance(invitation, UUID) else UUID(invitation)
    except ValueError:
        raise Hidden from None
    mine = {"session__memberships__person": viewer.id, "session__memberships__left_at": None}
    found = Invitation.objects.filter(id=wanted, session__closed_at=None, **mine)
    row = found.select_related("session").first()
    if row is None:
        raise Hidden
    return row


def by_code(code: str) -> Invitation:
    """The invitation that a code opens now. Raises Hidden: unknown, expired and revoked are alike.

    It is worth no more than who made it: once they may not invite to that role any more, it opens nothing.
    """
    rows = Invitation.objects.filter(hash=hashed(code), revoked_at=None, expires_at__gt=timezone.now())
    row = rows.filter(session__closed_at=None).select_related("session", "made_by__handle").first()
    if row is None or not may_invite(_role_of_maker(row), row.session, Role(row.role)):
        raise Hidden
    return row


def _role_of_maker(row: Invitation) -> Role | None:
    """None for one who has left, or whose account is closed."""
    rows = Membership.objects.filter(session=row.session_id, person=row.made_by_id, left_at=None)
    word = rows.exclude(person__account__is_active=False).values_list("role", flat=True).first()
    return Role(word) if word else None


def may_invite(own: Role | None, session: Session, role: Role) -> bool:
    """Whether a role may invite to another: to none above itself, and to moderate owners alone invite."""
    return own is not None and Capability.MANAGE_MEMBERS in session.granted(own) and invites_to(own, role)


def offer(code: str) -> Offer:
    """What a code offers. Raises Hidden."""
    row = by_code(code)
    return Offer(row.session.title, row.role, row.made_by.name, row.used < row.most)
