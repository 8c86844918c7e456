"""The clocks of all sessions that somebody is in, for deeds that concern them everywhere."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from messaging.journal import clock as clocks
from messaging.journal.clock import Held
from messaging.mailbox.models import Seat
from messaging.roster import budget
from messaging.roster.budget import Books
from messaging.roster.models import Agent, Membership, Person


def lock(who: Person | Agent) -> dict[UUID, Held]:
    """Locks them, in order of their ids. Whoever joins another session meanwhile is found in it, too.

    What agents there may use up is locked along: what is cleared in one session after the other would not be in order.
    """
    wanted, held = _sessions(who), None
    while held is None:
        with transaction.atomic():
            held = clocks.lock(wanted)
            missing = _sessions(who) - held.keys()
            if missing:
                # One that comes later may stand before those that are locked: let go, and begin anew with all.
                transaction.set_rollback(True)
                wanted, held = wanted | missing, None
    Books.holding(budget.of(set(Seat.objects.filter(session__in=held, open=True).values_list("agent", flat=True))))
    return held


def _sessions(who: Person | Agent) -> set[UUID]:
    own = {"person": who} if isinstance(who, Person) else {"agent": who}
    rows = Membership.objects.filter(left_at=None, session__closed_at=None, **own)
    return set(rows.values_list("session", flat=True))
