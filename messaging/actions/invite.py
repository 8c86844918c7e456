"""Invites people of the installation into a session by a link: made, taken back, redeemed."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from messaging.actions import audit
from messaging.actions.draft import Refusal
from messaging.actions.join import join
from messaging.domain.audit import Verb
from messaging.domain.capability import Capability, Role, is_above
from messaging.journal import clock as clocks
from messaging.roster import access, invitations
from messaging.roster.access import Forbidden, Viewer
from messaging.roster.credentials import hashed
from messaging.roster.models import Invitation, Membership, Person, Session

ROLES = (Role.MODERATOR, Role.MEMBER, Role.VIEWER, Role.GUEST)
#: People by one link, and hours for which it is good.
MOST_PEOPLE = 100
MOST_HOURS = 720
#: Random bytes of a code.
LENGTH = 32


@dataclass(frozen=True, slots=True)
class Made:
    """A new invitation, and its code in the only moment in which it can be read."""

    invitation: Invitation
    code: str


@transaction.atomic
def invite(who: Viewer, session: Session, role: str, *, most: int = 1, hours: int = 72) -> Made:
    """A link by which `most` people join with a role, within so many hours. Raises Refusal, Hidden or Forbidden."""
    clocks.lock([session.id])
    access.demand(who, session, Capability.MANAGE_MEMBERS)
    _check(role, most, hours)
    session = Session.objects.get(id=session.id)
    if not invitations.may_invite(access.role(who, session), session, Role(role)):
        words = "Only an owner can invite moderators, and nobody to a role above their own."
        raise Forbidden("no_capability", words, Capability.MANAGE_MEMBERS, session.id)
    code = secrets.token_urlsafe(LENGTH)
    row = Invitation.objects.create(
        hash=hashed(code),
        session=session,
        role=role,
        made_by=Person.objects.select_related("handle").get(id=who.id),
        most=most,
        expires_at=timezone.now() + timedelta(hours=hours),
    )
    audit.note(Verb.INVITED, who, session.id, row.id, role=str(role), most=most, hours=hours)
    return Made(row, code)


def _check(role: str, most: int, hours: int) -> None:
    if role not in ROLES:
        raise Refusal.shape("role", f"is not one of {', '.join(ROLES)}")
    for field, value, bound in (("most", most, MOST_PEOPLE), ("hours", hours, MOST_HOURS)):
        if not 1 <= value <= bound:
            raise Refusal.shape(field, f"lies between 1 and {bound}")


@transaction.atomic
def revoke(who: Viewer, invitation: str | UUID) -> None:
    """Nobody comes in by it any more; who has stays. Revoked already: nothing happens. Raises Hidden or Forbidden."""
    row = invitations.by_id(who, invitation)
    clocks.lock([row.session_id])
    access.demand(who, row.session, Capability.MANAGE_MEMBERS)
    if Invitation.objects.filter(id=row.id, revoked_at=None).update(revoked_at=timezone.now()):
        audit.note(Verb.INVITATION_REVOKED, who, row.session_id, row.id, role=row.role, used=row.used)


@transaction.atomic
def redeem(who: Viewer, code: str) -> Session:
    """Joins by a code. Whoever has its role already, or a higher one, keeps that, and no use is counted.

    Raises Hidden for a code that opens nothing (any more), Refusal where all places are taken (`used_up`), or for who
    has left or was removed since the invitation was made (`left_since`).
    """
    session = invitations.by_code(code).session_id
    clocks.lock([session])
    # What was read before the lock may be stale by now.
    row = invitations.by_code(code)
    mine = Membership.objects.filter(session=session, person=who.id).first()
    if mine is not None and mine.left_at is not None and mine.left_at > row.made_at:
        raise Refusal(409, "left_since", "You have left this session since. Ask for a new invitation.", "code")
    if mine is None or mine.left_at is not None or is_above(Role(row.role), Role(mine.role)):
        _use(row)
        person = Person.objects.select_related("handle").get(id=who.id)
        join(row.session, person, Role(row.role), by=who, invitation=row.id)
    return row.session


def _use(row: Invitation) -> None:
    """Counts one use, if there is one left."""
    free = Invitation.objects.filter(id=row.id, revoked_at=None, used__lt=F("most"))
    if not free.update(used=F("used") + 1):
        raise Refusal(409, "used_up", "This invitation has been used as often as it may be.", "code")
