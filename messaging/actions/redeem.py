"""Joins a session by an invitation's code."""

from __future__ import annotations

from django.db import transaction
from django.db.models import F

from messaging.actions.draft import Refusal
from messaging.actions.join import join
from messaging.domain.capability import Role, is_above
from messaging.journal import clock as clocks
from messaging.roster import invitations
from messaging.roster.access import Hidden, Viewer
from messaging.roster.models import Invitation, Membership, Person, Session


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
    person = Person.objects.select_related("handle").filter(id=who.id).exclude(account__is_active=False).first()
    if person is None:
        raise Hidden
    mine = Membership.objects.filter(session=session, person=who.id).first()
    if mine is not None and mine.left_at is not None and mine.left_at > row.made_at:
        raise Refusal(409, "left_since", "You have left this session since. Ask for a new invitation.", "code")
    if mine is None or mine.left_at is not None or is_above(Role(row.role), Role(mine.role)):
        _use(row)
        join(row.session, person, Role(row.role), by=who, invitation=row.id)
    return row.session


def _use(row: Invitation) -> None:
    """Counts one use, if there is one left."""
    free = Invitation.objects.filter(id=row.id, revoked_at=None, used__lt=F("most"))
    if not free.update(used=F("used") + 1):
        raise Refusal(409, "used_up", "This invitation has been used as often as it may be.", "code")
