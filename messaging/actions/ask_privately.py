"""Brings a person and an agent together with nobody else there."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Count, Q

from messaging.actions.draft import Draft, Refusal
from messaging.actions.open_session import open_session
from messaging.actions.post import post_one
from messaging.domain.text import MAX_TITLE
from messaging.roster.access import Hidden, Viewer
from messaging.roster.models import Agent, Person, Session


@transaction.atomic
def ask_privately(who: Viewer, handle: str, text: str = "") -> Session:
    """The session in which this person and this agent are alone, opened where there is none; `text` is asked there.

    Raises Hidden for nobody's handle, Refusal for an agent out of use and where a post would.
    """
    agent = Agent.objects.select_related("handle").filter(handle__spelled=handle).first()
    if agent is None:
        raise Hidden
    if not agent.enabled:
        raise Refusal.not_available("agent", f"{agent.name} is out of use here.")
    # Whoever asks twice at once waits here, and finds what the first has opened.
    person = Person.objects.select_for_update(of=("self",), no_key=True).select_related("handle").get(id=who.id)
    session = _alone(person, agent) or open_session(person, title=_title(agent), active_agent=agent)
    if text:
        post_one(Draft(who, session.id, text, "active_agent"))
    return session


def _alone(person: Person, agent: Agent) -> Session | None:
    """The newest session that is theirs, and nobody else's: no side session, for that belongs to its parent."""
    now = Q(memberships__left_at=None)
    rows = Session.objects.filter(active_agent=agent, closed_at=None, parent=None).annotate(
        here=Count("memberships", filter=now),
        theirs=Count("memberships", filter=now & (Q(memberships__person=person) | Q(memberships__agent=agent))),
    )
    return rows.filter(here=2, theirs=2).order_by("-created_at", "id").first()


def _title(agent: Agent) -> str:
    return f"{agent.name}, privately"[:MAX_TITLE]
