"""Brings a person or an agent into a session, or changes a role."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from messaging.actions import audit, owners, seating
from messaging.actions.reject import put_by, reject_lost
from messaging.domain.actor import HOUSE
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
    session: Session, who: Person | Agent, role: Role, *, by: Caller | str = HOUSE, invitation: UUID | None = None
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
    """The seat carries all that the agents' process needs to know. What it is granted is read under the lock."""
    Seat.objects.update_or_create(
        session=session.id,
        agent=agent.id,
        defaults={
            "handle": agent.handle.spelled,
            "kind": agent.kind,
            **seating.copied(agent, Session.objects.get(id=session.id)),
            "owner": owners.handle(),
            "open": True,
        },
    )


def _note(row: Membership, change: str, held: Held) -> None:
    made = MembershipChange.objects.create(membership=row, change=change, role=row.role)
    clocks.append(held, [(Kind.MEMBER, made.id)])
