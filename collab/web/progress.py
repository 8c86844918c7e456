"""How far a person has come with the demo session, as its checklist wants to know."""

from __future__ import annotations

from django.contrib.sessions.backends.base import SessionBase

from collab.web.checklist import Progress
from messaging.actions.demo import SLUG
from messaging.roster.access import Viewer
from messaging.roster.models import Session
from messaging.transcript import so_far

_SEEN = "seen_as"


def is_demo(session: Session) -> bool:
    """Whether this is the demo's session, the only one with a checklist."""
    return session.slug == SLUG


def of(viewer: Viewer, session: Session, browser: SessionBase) -> Progress:
    """What this viewer has done there so far."""
    return Progress(
        spoke_to_people=so_far.spoke_to_people(viewer, session),
        was_answered=so_far.was_answered(viewer, session),
        saw_as_agent=str(session.id) in browser.get(_SEEN, []),
    )


def note_seen(browser: SessionBase, session: Session) -> None:
    """Remembers, for this login, that a seat of this session was looked at."""
    seen = browser.get(_SEEN, [])
    if is_demo(session) and str(session.id) not in seen:
        browser[_SEEN] = [*seen, str(session.id)]
