"""Writes down that somebody of the staff reads people's words where they are no member, before it is shown to them."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from messaging.actions import audit
from messaging.domain.audit import Verb
from messaging.transcript.models import AuditEntry

#: Who reads the same again within this time is written down once.
ONCE = timedelta(hours=1)


@transaction.atomic
def look_into(actor: str, what: str, about: UUID, session: UUID | None) -> None:
    """One row is about to be read: a message, a delivery. What cannot be written down is not to be shown."""
    lately = AuditEntry.objects.filter(about=about, verb=Verb.READ, actor=actor, at__gt=timezone.now() - ONCE)
    if not lately.exists():
        audit.note(Verb.READ, actor, session, about, what=what)


@transaction.atomic
def look_through(actor: str, what: str, session: UUID | None) -> None:
    """A list that shows words is about to be read, of one session or of all."""
    audit.note(Verb.READ, actor, session, what=f"list of {what}")
