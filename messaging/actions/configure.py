"""Changes what a session is called and who its active agent is."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import transaction

from messaging.actions.open_session import check_title
from messaging.domain.capability import Capability
from messaging.journal import clock as clocks
from messaging.roster import access
from messaging.roster.access import Viewer
from messaging.roster.models import Agent, Membership, Session


@transaction.atomic
def configure(who: Viewer, session: Session, **changes: str | None) -> Session:
    """Applies `title` and `active_agent` (a seated agent's handle, or None). Raises Forbidden or ValidationError."""
    clocks.lock([session.id])
    access.demand(who, session, Capability.MANAGE_MEMBERS)
    # What was read before the lock may be stale by now.
    session = Session.objects.select_related("active_agent__handle").get(id=session.id)
    if "title" in changes:
        session.title = check_title(changes["title"])
    if "active_agent" in changes:
        session.active_agent = _seated(session, changes["active_agent"])
    session.save(update_fields=["title", "active_agent"])
    return session


def _seated(session: Session, handle: str | None) -> Agent | None:
    if handle is None:
        return None
    rows = Membership.objects.filter(session=session, left_at=None, agent__handle__spelled=handle)
    row = rows.select_related("agent__handle").first()
    if row is None:
        raise ValidationError({"active_agent": "has no seat in this session; bring it in first"})
    return row.agent
