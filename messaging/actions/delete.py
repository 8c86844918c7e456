"""Deletes a message: a stone in its place. What an agent was shown cannot be recalled, but is not shown again."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from messaging.actions.audit import note
from messaging.actions.clear import go_on
from messaging.actions.draft import Refusal
from messaging.actions.entitle import drop_lost
from messaging.actions.shape import check_reason
from messaging.actions.subject import Subject, hold
from messaging.actions.take_back import KEEP, Wish, along, each, hush, on_record
from messaging.actions.withdraw import withdraw
from messaging.domain.audience import Kind as AudienceKind
from messaging.domain.audit import Verb
from messaging.domain.capability import Capability
from messaging.journal.models import Kind
from messaging.mailbox.withhold import withhold, withhold_said
from messaging.roster.access import Viewer
from messaging.transcript.answers import Answers
from messaging.transcript.models import Tombstone
from messaging.transcript.view import MessageView

#: Why an answer is deleted where whoever deleted the question gave no reason.
_ALONG = "it answered a message that was deleted"


@transaction.atomic
def delete(who: Viewer, message: str | UUID, reason: str = "", token: str = "", *, answers: Wish = KEEP) -> MessageView:
    """The message without its text. Deleted once more it stays as it is, and nobody is asked for a reason.

    answers: whether what agents answered to it is deleted as well (and what they are about to answer, not said); also
    later, for a message that is deleted already. Its author needs no reason; who moderates does, and never deletes a
    direct message of others. Raises Hidden; Forbidden; Refusal (422) on `reason`.
    """
    if reason:
        check_reason(reason)
    about = hold(who, message, token)
    if not about.own:
        _moderates(about)
    found = along(about, answers, Capability.MODERATE)
    stands = about.row.deleted_at is None
    if stands or found:
        if not reason.strip() and not (about.own and found.all_asked_by(about.who)):
            raise Refusal.shape("reason", "is needed to delete what somebody else said")
        _all(about, found, reason, stands=stands)
    return about.view()


def _moderates(about: Subject) -> None:
    if about.row.audience == AudienceKind.PEOPLE:
        about.only_author(Capability.MODERATE)
    about.demand(Capability.MODERATE)


def _all(about: Subject, found: Answers, reason: str, *, stands: bool) -> None:
    """The message, where it stands, and what is to go along with it."""
    hush(about, found)
    if stands:
        _write(about, reason, **on_record(found))
    for one in each(about, found):
        _write(one, reason.strip() or _ALONG, answer_to=about.row.id)
    drop_lost(about.room.clock)
    go_on(about.room.clock)


def _write(about: Subject, reason: str, **detail: Any) -> None:
    row = about.row
    row.deleted_at = timezone.now()
    row.save(update_fields=["deleted_at"])
    stone = Tombstone.objects.create(message=row, by_id=about.who.id, reason=reason, at=row.deleted_at)
    steps = [step for _, step in withdraw(Q(message=row.id), about.who.handle, "deleted")]
    withhold(row.id)
    withhold_said(row.id, row.turn)
    about.journal(Kind.TOMBSTONE, stone.id, steps)
    note(Verb.DELETED, about.who, row.session_id, row.id, reason=reason, own=about.own, **detail)
