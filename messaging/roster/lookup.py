"""People and agents of the installation by handle, for those who may name them."""

from __future__ import annotations

from uuid import UUID

from messaging.roster.models import Agent, Membership, Person, Session


def agent(handle: str) -> Agent | None:
    """An agent that is enabled, or None."""
    return Agent.objects.select_related("handle").filter(handle__spelled=handle, enabled=True).first()


def anybody(handle: str) -> Person | Agent | None:
    """A person or an enabled agent, or None."""
    return Person.objects.select_related("handle").filter(handle__spelled=handle).first() or agent(handle)


def has_owner(agent: UUID) -> bool:
    """Whether an agent belongs to a person."""
    return Agent.objects.filter(id=agent, owner__isnull=False).exists()


def member(session: Session, handle: str) -> Membership | None:
    """The current membership of whoever bears the handle, or None."""
    rows = Membership.objects.filter(session=session, left_at=None).select_related("person__handle", "agent__handle")
    return rows.filter(person__handle__spelled=handle).first() or rows.filter(agent__handle__spelled=handle).first()


def everybody() -> list[Person]:
    """All people of the installation, by handle."""
    return list(Person.objects.select_related("handle").order_by("handle__spelled"))


def agents() -> list[Agent]:
    """All agents of the installation, by handle."""
    return list(Agent.objects.select_related("handle").order_by("handle__spelled"))
