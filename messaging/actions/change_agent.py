"""Changes what an agent is called, run by and kept to, in all its sessions at once."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from messaging.actions import audit, everywhere, house_rights, seating, terms
from messaging.domain.audit import Verb
from messaging.roster.access import Hidden, Viewer
from messaging.roster.models import Agent


@transaction.atomic
def change_agent(who: Viewer | None, handle: str, **changes: Any) -> Agent:
    """The agent with the changes named, of `terms.CHANGEABLE`; what is said as it stands is none.

    `settings` come whole. A turn that runs goes on as it began, the next one is run by what was changed. Nothing is
    woken for it, and what waits is looked at again when it is cleared.
    who: one of the staff, None for the command line. Raises Forbidden, Hidden, or ValidationError by the field.
    """
    by, agent = house_rights.demand(who), _agent(handle)
    held = everywhere.lock(agent)
    # What was read before the locks may be stale by now.
    agent = Agent.objects.select_for_update(of=("self",), no_key=True).get(id=agent.id)
    before = {name: getattr(agent, name) for name in terms.CHANGEABLE if name in changes}
    before = {name: old for name, old in before.items() if old != changes[name]}
    for name in before:
        setattr(agent, name, changes[name])
    terms.check(agent)
    if before:
        agent.save(update_fields=list(before))
        seating.of_agent(agent, held)
        audit.note(Verb.AGENT, by, None, agent.id, handle=handle, change="settings", **terms.told(before, agent))
    return agent


def _agent(handle: str) -> Agent:
    found = Agent.objects.filter(handle__spelled=handle).first()
    if found is None:
        raise Hidden
    return found
