"""One switch for all hosted agents: while they pause, what they are asked is kept and nothing is handed to them."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from messaging.actions import audit, house_rights
from messaging.actions.clear import clear
from messaging.domain.audit import Verb
from messaging.domain.disposition import Disposition
from messaging.mailbox.models import Delivery, Purpose
from messaging.roster.access import Viewer
from messaging.roster.models import Installation


def pause_agents(who: Viewer | None) -> None:
    """No hosted agent is given anything new. Turns that run are finished, and so is what was let through before.

    Paused already: nothing happens. who: the owner or one of the staff, None for the command line. Raises Forbidden.
    """
    with transaction.atomic():
        by = house_rights.demand(who)
        Installation.the()
        if Installation.objects.filter(agents_paused_at=None).update(agents_paused_at=timezone.now()):
            audit.note(Verb.AGENT, by, change="paused")


def resume_agents(who: Viewer | None) -> None:
    """They go on with what waits, session by session; where that breaks off, the sweep goes on. Raises as pausing."""
    with transaction.atomic():
        by = house_rights.demand(who)
        if not Installation.objects.exclude(agents_paused_at=None).update(agents_paused_at=None):
            return
        audit.note(Verb.AGENT, by, change="resumed")
    waiting = Delivery.objects.filter(state=Disposition.QUEUED, purpose=Purpose.INPUT, cleared_at=None)
    for session in sorted(set(waiting.values_list("seat__session", flat=True))):
        clear(session)
