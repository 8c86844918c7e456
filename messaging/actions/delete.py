"""Deletes a message: a stone in its place. What an agent was shown cannot be recalled, but is not shown again."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from messaging.actions.audit import note
from messaging.actions.clear import go_on
from messaging.actions.draft import Refusal
from messaging.actions.shape import check_reason
from messaging.actions.subject import Subject, hold
from messaging.actions.withdraw import withdraw
from messaging.domain.audience import Kind as AudienceKind
from messaging.domain.audit import Verb
from messaging.domain.capability import Capability
from messaging.journal.models import Kind
from messaging.mailbox.withhold import withhold, withhold_said
from messaging.roster.access import Viewer
from messaging.transcript.models import Tombstone
from messaging.transcript.view import MessageView


@transaction.atomic
def delete(who: Viewer, message: str | UUID, reason: str = "", token: str = "") -> MessageView:
    """The message without its text. Deleted once more it stays as it is.

    Its author needs no reason; who moderates does, and never deletes a direct message of others.
    Raises Hidden; Forbidden; Refusal (422) on `reason`.
    """
    if reason:
        check_reason(reason)
    about = hold(who, message, token)
    if not about.own:
        _moderates(about, reason)
    if about.row.deleted_at is None:
        _write(about, reason)
        go_on(about.room.clock)
    return about.view()


def _moderates(about: Subject, reason: str) -> None:
    if about.row.audience == AudienceKind.PEOPLE:
        about.only_author()
    about.demand(Capability.MODERATE)
    if not reason.strip():
        raise Refusal.shape("reason", "is needed to delete what somebody else said")


def _write(about: Subject, reason: str) -> None:
    row = about.row
    row.deleted_at = timezone.now()
    row.save(update_fields=["deleted_at"])
    stone = Tombstone.objects.create(message=row, by_id=about.who.id, reason=reason, at=row.deleted_at)
    steps = [step for _, step in withdraw(Q(message=row.id), about.who.handle, "deleted")]
    withhold(row.id)
    withhold_said(row.id, row.turn)
    about.journal(Kind.TOMBSTONE, stone.id, steps)
    note(Verb.DELETED, about.who, row.session_id, row.id, reason=reason, own=about.own)
