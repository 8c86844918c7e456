"""Takes an invitation back."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.utils import timezone

from messaging.actions import audit
from messaging.domain.audit import Verb
from messaging.domain.capability import Capability
from messaging.journal import clock as clocks
from messaging.roster import access, invitations
from messaging.roster.access import Viewer
from messaging.roster.models import Invitation


@transaction.atomic
def revoke(who: Viewer, invitation: str | UUID) -> None:
    """Nobody comes in by it any more; who has stays. Revoked already: nothing happens. Raises Hidden or Forbidden."""
    row = invitations.by_id(who, invitation)
    clocks.lock([row.session_id])
    access.demand(who, row.session, Capability.MANAGE_MEMBERS)
    if Invitation.objects.filter(id=row.id, revoked_at=None).update(revoked_at=timezone.now()):
        audit.note(Verb.INVITATION_REVOKED, who, row.session_id, row.id, role=row.role, used=row.used)
