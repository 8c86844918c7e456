"""Takes a message back from the agents that have not been shown it yet. People keep it."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.db.models import Q

from messaging.actions.audit import note
from messaging.actions.clear import go_on
from messaging.actions.draft import Refusal
from messaging.actions.record import record
from messaging.actions.subject import Subject, hold
from messaging.actions.withdraw import withdraw
from messaging.domain.audit import Verb
from messaging.domain.capability import Capability
from messaging.mailbox.models import Delivery
from messaging.roster.access import Caller
from messaging.transcript.view import MessageView


@transaction.atomic
def supersede(who: Caller, message: str | UUID, token: str = "") -> MessageView:
    """The message as it stands once nothing of it waits any more.

    Raises Hidden; Forbidden; Refusal, 409: `deleted`, or `too_late` where nothing waits.
    """
    about = hold(who, message, token)
    about.demand(Capability.SUPERSEDE)
    about.must_stand()
    withdrawn = withdraw(Q(message=about.row.id), about.who.handle, "withdrawn")
    if not withdrawn:
        raise Refusal(409, "too_late", _why_nothing(about))
    record(about.room.clock, [step for _, step in withdrawn])
    agents = sorted({row.seat.handle for row, _ in withdrawn})
    note(Verb.SUPERSEDED, about.who, about.row.session_id, about.row.id, agents=agents)
    go_on(about.room.clock)
    return about.view()


def _why_nothing(about: Subject) -> str:
    if about.who.kind == "agent":
        # Who else was shown it is not told to an agent.
        return "Nothing of it waits."
    shown = Delivery.objects.filter(message=about.row.id, delivered_at__isnull=False).select_related("seat")
    names = sorted({row.seat.name for row in shown})
    return f"{', '.join(names)} has it already." if names else "Nothing of it waits."
