"""Says something in the server's own name: to the people of a session, never to an agent."""

from __future__ import annotations

from uuid import uuid4

from django.utils import timezone

from messaging.domain.audience import Kind as AudienceKind
from messaging.journal import clock as clocks
from messaging.journal.clock import Held
from messaging.journal.models import Kind
from messaging.transcript.models import Message


def announce(held: Held, text: str) -> Message:
    """Writes the message, under the session's locked clock."""
    key = uuid4()
    [seq] = clocks.append(held, [(Kind.MESSAGE, key)])
    return Message.objects.create(
        id=key,
        session_id=held.session,
        seq=seq,
        author_kind="system",
        text=text,
        audience=AudienceKind.SYSTEM,
        created_at=timezone.now(),
    )
