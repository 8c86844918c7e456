"""What is copied to an agent's seats: all that the agents' process needs to know of it. A part, no verb."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Any
from uuid import UUID

from messaging.domain.dispatch import granted
from messaging.mailbox import clear as mailbox
from messaging.mailbox.models import Seat
from messaging.roster.models import Agent, Session


def copied(agent: Agent, session: Session) -> dict[str, Any]:
    """The columns of its seat in a session that may change while it sits there."""
    return {
        "name": agent.name,
        "provider": agent.provider,
        "settings": agent.settings,
        "policy": agent.policy,
        "sources": granted(agent.sources, session.sources),
        "placement": agent.placement,
    }


def of_agent(agent: Agent, sessions: Collection[UUID]) -> None:
    """Brings its seats in these sessions up to date, under the sessions' locked clocks. That moves their epochs."""
    seats = list(mailbox.lock(Seat.objects.filter(agent=agent.id, session__in=sessions).values_list("id", flat=True)))
    rooms = Session.objects.in_bulk(Seat.objects.filter(id__in=seats).values_list("session", flat=True))
    alike: dict[tuple[str, ...], list[UUID]] = defaultdict(list)
    for room in rooms.values():
        alike[tuple(granted(agent.sources, room.sources))].append(room.id)
    for same in alike.values():
        Seat.objects.filter(id__in=seats, session__in=same).update(**copied(agent, rooms[same[0]]))


def of_session(session: Session) -> None:
    """Brings the sources of all its seats up to date, under its locked clock."""
    seats = mailbox.lock(Seat.objects.filter(session=session.id).values_list("id", flat=True))
    agents = Agent.objects.in_bulk({seat.agent for seat in seats.values()})
    for seat in seats.values():
        Seat.objects.filter(id=seat.id).update(sources=granted(agents[seat.agent].sources, session.sources))
