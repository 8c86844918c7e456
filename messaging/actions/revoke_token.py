"""Revokes a bearer token: from the commit on it is good for nothing."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils import timezone

from messaging.actions import audit, house_rights
from messaging.domain.audit import Verb
from messaging.roster.access import Hidden, Viewer
from messaging.roster.models import Token


@transaction.atomic
def revoke_token(who: Viewer | None, token: UUID) -> None:
    """Whoever held it stays what they are, and what they said waits on: by a token one comes in, it gives no right.

    Revoked already: nothing happens. who: one of the staff, None for the command line. Raises Forbidden or Hidden.
    """
    by = house_rights.demand(who)
    row = Token.objects.select_related("person__handle", "agent__handle").filter(id=token).first()
    holder = (row.person or row.agent) if row is not None else None
    if holder is None:
        raise Hidden
    if Token.objects.filter(id=token, revoked_at=None).update(revoked_at=timezone.now()):
        audit.note(Verb.TOKEN, by, None, token, handle=holder.handle.spelled, change="revoked")
