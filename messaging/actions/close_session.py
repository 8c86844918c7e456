"""Closes a session for good: it is there for nobody any more, and nothing of it reaches an agent."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from messaging.actions import audit
from messaging.actions.end_turns import end_turns, lock_running, lock_seats
from messaging.actions.reject import reject
from messaging.domain.audit import Verb
from messaging.domain.capability import Capability, Role
from messaging.journal import clock as clocks
from messaging.journal.clock import Held
from messaging.journal.models import Kind
from messaging.roster import access
from messaging.roster.access import Forbidden, Viewer
from messaging.roster.models import Session, SessionChange


@transaction.atomic
def close_session(who: Viewer, session: Session) -> None:
    """Ends the turns that run, rejects all that waits. Nothing is deleted. Raises Hidden, or Forbidden for no owner."""
    held = clocks.lock([session.id])[session.id]
    if access.role(who, session) is not Role.OWNER:
        words = "Only an owner can close a session."
        raise Forbidden("no_capability", words, Capability.MANAGE_MEMBERS, session.id)
    close(held, session, who.handle)


def close(held: Held, session: Session, by: str) -> None:
    """The same for whoever may, under the session's locked clock."""
    turns = lock_running(lock_seats(held, Q()), Q())
    Session.objects.filter(id=session.id).update(closed_at=timezone.now())
    # Before the turns end: what was to steer them has not come too late, its room has gone.
    reject(held, "session_closed")
    end_turns(held, turns, by, "session_closed")
    change = SessionChange.objects.create(session=session)
    clocks.append(held, [(Kind.SESSION, change.id)])
    audit.note(Verb.SESSION, by, session.id, change.id, change="closed")
