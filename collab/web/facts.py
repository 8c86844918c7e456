"""What a person has done in the demo session, as its checklist wants to know."""

from __future__ import annotations

from django.contrib.sessions.backends.base import SessionBase

from collab.web.checklist import Facts
from messaging.actions.demo import SLUG
from messaging.domain.audience import Kind
from messaging.roster.access import Viewer
from messaging.roster.models import Session
from messaging.transcript.models import Message

_SEEN = "seen_as"


def is_demo(session: Session) -> bool:
    """Whether this is the demo's session, the only one with a checklist."""
    return session.slug == SLUG


def gather(viewer: Viewer, session: Session, browser: SessionBase) -> Facts:
    """What this viewer has done there so far."""
    mine = Message.objects.filter(session=session, person=viewer.id)
    return Facts(
        spoke_to_people=mine.filter(audience=Kind.PARTICIPANTS).exists(),
        was_answered=mine.filter(answered_by__isnull=False).exists(),
        saw_as_agent=str(session.id) in browser.get(_SEEN, []),
    )


def note_seen(browser: SessionBase, session: Session) -> None:
    """Remembers, for this login, that a seat of this session was looked at."""
    seen = browser.get(_SEEN, [])
    if is_demo(session) and str(session.id) not in seen:
        browser[_SEEN] = [*seen, str(session.id)]
