"""Invites people of the installation into a session by a link."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from messaging.actions import audit
from messaging.actions.draft import Refusal
from messaging.domain.audit import Verb
from messaging.domain.capability import INVITED, Capability, Role
from messaging.journal import clock as clocks
from messaging.roster import access, invitations
from messaging.roster.access import Forbidden, Viewer
from messaging.roster.credentials import hashed
from messaging.roster.invitations import MOST_HOURS, MOST_PEOPLE, USUAL_HOURS, USUAL_PEOPLE
from messaging.roster.models import Invitation, Person, Session

#: Random bytes of a code.
LENGTH = 32


@dataclass(frozen=True, slots=True)
class Made:
    """A new invitation, and its code in the only moment in which it can be read."""

    invitation: Invitation
    code: str


@transaction.atomic
def invite(who: Viewer, session: Session, role: str, *, most: int = USUAL_PEOPLE, hours: int = USUAL_HOURS) -> Made:
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
    if role not in INVITED:
        raise Refusal.shape("role", f"is not one of {', '.join(INVITED)}")
    for field, value, bound in (("most", most, MOST_PEOPLE), ("hours", hours, MOST_HOURS)):
        if not 1 <= value <= bound:
            raise Refusal.shape(field, f"lies between 1 and {bound}")
