"""The demo: one cast, one session, so that a newcomer can do the main job at once."""

from __future__ import annotations

from django.db import transaction

from messaging.actions import owners
from messaging.actions.enrol import add_agent, add_person
from messaging.actions.join import join
from messaging.actions.open_session import open_session
from messaging.domain.capability import Role
from messaging.roster.models import Agent, Installation, Person, Session

SLUG = "welcome"
PEOPLE = (
    ("alex", "Alex", Role.OWNER),
    ("mo", "Mo", Role.MODERATOR),
    ("sam", "Sam", Role.MEMBER),
    ("vic", "Vic", Role.VIEWER),
    ("gus", "Gus", Role.GUEST),
    ("xan", "Xan", None),
)
AGENTS = ("mirror", "scout")


@transaction.atomic
def seed() -> Session:
    """Makes what is missing of the demo, and answers with its session. Idempotent."""
    people = {handle: _person(handle, name) for handle, name, _ in PEOPLE}
    alex = people["alex"]
    installation = Installation.the()
    if installation.owner is None:
        installation.owner = alex
        installation.save(update_fields=["owner"])
        owners.copy()
    mirror = _agent("mirror", "Mirror", Agent.Kind.HOSTED, "mirror", alex)
    scout = _agent("scout", "Scout", Agent.Kind.CONNECTED, "", alex)
    session = Session.objects.filter(slug=SLUG).first()
    if session is None:
        session = open_session(alex, title="Welcome", slug=SLUG, active_agent=mirror)
        for handle, _, role in PEOPLE:
            if role is not None:
                join(session, people[handle], role)
        join(session, scout, Role.AGENT)
    return session


def _person(handle: str, name: str) -> Person:
    found = Person.objects.filter(handle__spelled=handle).first()
    return found or add_person(handle, name=name, staff=handle == "alex")


def _agent(handle: str, name: str, kind: Agent.Kind, provider: str, owner: Person) -> Agent:
    found = Agent.objects.filter(handle__spelled=handle).first()
    return found or add_agent(handle, kind=kind, name=name, provider=provider, owner=owner)
