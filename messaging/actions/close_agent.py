"""Takes an agent out of use, everywhere at once, and back into it."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q

from messaging.actions import audit, everywhere, house_rights
from messaging.actions.end_turns import end_turns, lock_running, lock_seats
from messaging.actions.reject import put_by, reject
from messaging.domain.audit import Verb
from messaging.roster.access import Hidden, Viewer
from messaging.roster.models import Agent


@transaction.atomic
def close_agent(who: Viewer | None, handle: str) -> None:
    """The agent takes nothing more and says nothing more: what waits before it or of it is rejected, its turn stopped.

    Its seats and tokens stay, and are good again with it. Closed already: nothing happens.
    who: one of the staff, None for the command line. Raises Forbidden or Hidden.
    """
    by, agent = house_rights.demand(who), _agent(handle)
    held = everywhere.lock(agent)
    if not _set(agent, enabled=False):
        return
    for clock in held.values():
        turns = lock_running(lock_seats(clock, Q(agent=agent.id)), Q())
        reject(clock, "not_available", Q(seat__agent=agent.id))
        reject(clock, "disabled", put_by(handle))
        end_turns(clock, turns, by, "stopped")
    audit.note(Verb.AGENT, by, None, agent.id, handle=handle, change="closed")


@transaction.atomic
def open_agent(who: Viewer | None, handle: str) -> None:
    """The agent is in use again. What was rejected stays so. Raises as closing does."""
    by, agent = house_rights.demand(who), _agent(handle)
    if _set(agent, enabled=True):
        audit.note(Verb.AGENT, by, None, agent.id, handle=handle, change="opened")


def _agent(handle: str) -> Agent:
    found = Agent.objects.filter(handle__spelled=handle).select_related("handle").first()
    if found is None:
        raise Hidden
    return found


def _set(agent: Agent, *, enabled: bool) -> bool:
    """Whether that changed anything."""
    return bool(Agent.objects.filter(id=agent.id, enabled=not enabled).update(enabled=enabled))
