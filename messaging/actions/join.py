"""Brings a person or an agent into a session, changes a role, lets somebody leave."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from messaging.actions.reject import reject, said_by
from messaging.domain.audience import ActiveAgent, Agents, Audience, Everyone
from messaging.domain.capability import Role, needed
from messaging.journal import clock as clocks
from messaging.journal.clock import Held
from messaging.journal.models import Kind
from messaging.mailbox.models import Seat
from messaging.roster.models import Agent, Membership, MembershipChange, Person, Session

_Change = MembershipChange.Change
#: One audience of each agent-bound class, to ask what it takes; whom `agent:` names makes no difference to that.
_CLASSES: tuple[Audience, ...] = (ActiveAgent(), Agents(("any",)), Everyone())


@transaction.atomic
def join(session: Session, who: Person | Agent, role: Role) -> Membership:
    """Makes somebody a member, or again one, or one with another role. An agent gets its seat. Idempotent."""
    held = clocks.lock([session.id])[session.id]
    own = {"person": who} if isinstance(who, Person) else {"agent": who}
    row = Membership.objects.filter(session=session, **own).first()
    if row is not None and row.left_at is None and row.role == role:
        return row
    change = _Change.ROLE if row is not None and row.left_at is None else _Change.JOINED
    row = row or Membership(session=session, **own)
    row.role, row.left_at = role, None
    row.save()
    if isinstance(who, Agent):
        _seat(session, who)
    _reject_lost(row, held)
    _note(row, change, held)
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
def leave(row: Membership) -> None:
    """Ends a membership. What waits, undelivered, from a person or before an agent is rejected in the same breath."""
    held = clocks.lock([row.session_id])[row.session_id]
    row.left_at = timezone.now()
    row.save(update_fields=["left_at"])
    if row.agent is not None:
        Seat.objects.filter(session=row.session_id, agent=row.agent.id).update(open=False)
        Session.objects.filter(id=row.session_id, active_agent=row.agent).update(active_agent=None)
    _reject_all(row, held)
    _note(row, _Change.LEFT, held)


def _reject_lost(row: Membership, held: Held) -> None:
    """After a change of role: what the author may not say any more, and no agent has been shown, is rejected."""
    if row.person is None:
        return
    allowed = row.session.granted(Role(row.role))
    kept = [audience.kind for audience in _CLASSES if needed(audience) <= allowed]
    reject(held, "no_capability", said_by("human", row.person.handle.spelled) & ~Q(audience__in=kept))


def _reject_all(row: Membership, held: Held) -> None:
    """After leaving: all that waits from a person, or before an agent."""
    if row.person is not None:
        reject(held, "not_member", said_by("human", row.person.handle.spelled))
    elif row.agent is not None:
        reject(held, "seat_gone", Q(seat__agent=row.agent.id))
        reject(held, "not_member", said_by("agent", row.agent.handle.spelled))
