"""Brings a person or an agent into a session, changes a role, lets somebody leave."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from messaging.actions import audit
from messaging.actions.reject import put_by, reject, reject_lost
from messaging.domain.audit import Verb
from messaging.domain.capability import Role
from messaging.journal import clock as clocks
from messaging.journal.clock import Held
from messaging.journal.models import Kind
from messaging.mailbox.models import Seat
from messaging.roster.access import Caller
from messaging.roster.models import Agent, Membership, MembershipChange, Person, Session

_Change = MembershipChange.Change


@transaction.atomic
def join(
    session: Session, who: Person | Agent, role: Role, *, by: Caller | str = audit.HOUSE, invitation: UUID | None = None
) -> Membership:
    """Makes somebody a member, or again one, or one with another role. An agent gets its seat. Idempotent.

    by: who does it, for the audit log; invitation: by which somebody comes in.
    """
    held = clocks.lock([session.id])[session.id]
    own = {"person": who} if isinstance(who, Person) else {"agent": who}
    row = Membership.objects.filter(session=session, **own).first()
    before = row.role if row is not None and row.left_at is None else ""
    if row is not None and before == role:
        return row
    row = row or Membership(session=session, **own)
    row.role, row.left_at = role, None
    row.save()
    if isinstance(who, Agent):
        _seat(session, who)
    if before and isinstance(who, Person):
        reject_lost(held, put_by(who.handle.spelled))
    _note(row, _Change.ROLE if before else _Change.JOINED, held)
    detail = {"handle": who.handle.spelled, "role": str(role)}
    detail |= {"before": before} if before else {}
    detail |= {"invitation": str(invitation)} if invitation else {}
    audit.note(Verb.ROLE if before else Verb.JOINED, by, session.id, row.id, **detail)
    return row


def _seat(session: Session, agent: Agent) -> None:
    """The seat carries all that the agents' process needs to know."""
    Seat.objects.update_or_create(
        session=session.id,
        agent=agent.id,
        defaults={
            "handle": agent.handle.spelled,
            "name": agent.name,
            "kind": agent.kind,
            "provider": agent.provider,
            "settings": agent.settings,
            "open": True,
        },
    )


def _note(row: Membership, change: str, held: Held) -> None:
    made = MembershipChange.objects.create(membership=row, change=change, role=row.role)
    clocks.append(held, [(Kind.MEMBER, made.id)])


@transaction.atomic
def leave(row: Membership, *, by: Caller | str = audit.HOUSE) -> None:
    """Ends a membership. What waits, undelivered, from a person or before an agent is rejected in the same breath."""
    held = clocks.lock([row.session_id])[row.session_id]
    row.left_at = timezone.now()
    row.save(update_fields=["left_at"])
    if row.agent is not None:
        Seat.objects.filter(session=row.session_id, agent=row.agent.id).update(open=False)
        Session.objects.filter(id=row.session_id, active_agent=row.agent).update(active_agent=None)
    _reject_all(row, held)
    _note(row, _Change.LEFT, held)
    audit.note(Verb.LEFT, by, row.session_id, row.id, handle=_handle(row), role=row.role)


def _handle(row: Membership) -> str:
    who = row.person or row.agent
    return who.handle.spelled if who else ""


def _reject_all(row: Membership, held: Held) -> None:
    """After leaving: all that waits from a person or an agent, or before an agent."""
    if row.agent is not None:
        reject(held, "seat_gone", Q(seat__agent=row.agent.id))
    reject(held, "not_member", put_by(_handle(row)))
