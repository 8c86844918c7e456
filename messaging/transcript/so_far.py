"""What a person has done in a session, for those who want to know how far it has come. Viewer first."""

from __future__ import annotations

from messaging.domain.audience import Kind
from messaging.roster.access import Viewer
from messaging.roster.models import Session
from messaging.transcript.models import Message


def spoke_to_people(viewer: Viewer, session: Session) -> bool:
    """Whether the viewer said something to all people there, and to them only."""
    return Message.objects.filter(session=session, person=viewer.id, audience=Kind.PARTICIPANTS).exists()


def was_answered(viewer: Viewer, session: Session) -> bool:
    """Whether an agent answered the viewer there."""
    return Message.objects.filter(session=session, person=viewer.id, answered_by__isnull=False).exists()
