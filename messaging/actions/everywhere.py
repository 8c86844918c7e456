"""The clocks of all sessions that somebody is in, for deeds that concern them everywhere."""

from __future__ import annotations

from uuid import UUID

from messaging.journal import clock as clocks
from messaging.journal.clock import Held
from messaging.roster.models import Agent, Membership, Person


def lock(who: Person | Agent) -> dict[UUID, Held]:
    """Locks them. Whoever joins another session meanwhile is found in it, too."""
    held: dict[UUID, Held] = {}
    while missing := _sessions(who) - held.keys():
        held |= clocks.lock(missing)
    return held


def _sessions(who: Person | Agent) -> set[UUID]:
    own = {"person": who} if isinstance(who, Person) else {"agent": who}
    rows = Membership.objects.filter(left_at=None, session__closed_at=None, **own)
    return set(rows.values_list("session", flat=True))
