"""Lets a person or an agent leave a session."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from messaging.actions import audit
from messaging.actions.reject import put_by, reject
from messaging.domain.actor import HOUSE
from messaging.domain.audit import Verb
from messaging.journal import clock as clocks
from messaging.journal.clock import Held
from messaging.journal.models import Kind
from messaging.mailbox.models import Seat
from messaging.roster.access import Caller
from messaging.roster.models import Membership, MembershipChange, Session


@transaction.atomic
def leave(row: Membership, *, by: Caller | str = HOUSE) -> None:
    """Ends a membership. What waits, undelivered, from a person or before an agent is rejected in the same breath."""
    held = clocks.lock([row.session_id])[row.session_id]
    row.left_at = timezone.now()
    row.save(update_fields=["left_at"])
    if row.agent is not None:
        Seat.objects.filter(session=row.session_id, agent=row.agent.id).update(open=False)
        Session.objects.filter(id=row.session_id, active_agent=row.agent).update(active_agent=None)
    _reject_all(row, held)
    change = MembershipChange.objects.create(membership=row, change=MembershipChange.Change.LEFT, role=row.role)
    clocks.append(held, [(Kind.MEMBER, change.id)])
    audit.note(Verb.LEFT, by, row.session_id, row.id, handle=_handle(row), role=row.role)


def _handle(row: Membership) -> str:
    who = row.person or row.agent
    return who.handle.spelled if who else ""


def _reject_all(row: Membership, held: Held) -> None:
    """After leaving: all that waits from a person or an agent, or before an agent."""
    if row.agent is not None:
        reject(held, "seat_gone", Q(seat__agent=row.agent.id))
    reject(held, "not_member", put_by(_handle(row)))
