"""Changes a message's text. Who has not been shown it gets the new one in its place; what was shown stays on record."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from messaging.actions.audit import note
from messaging.actions.letters import hand_over, put_letters, replacing
from messaging.actions.shape import check_bound
from messaging.actions.subject import Subject, hold
from messaging.actions.withdraw import withdraw
from messaging.domain.audience import is_agent_bound
from messaging.domain.audit import Verb
from messaging.domain.capability import needed
from messaging.journal.models import Kind
from messaging.mailbox import clear as mailbox
from messaging.mailbox.models import Transition
from messaging.roster.access import Viewer
from messaging.transcript.models import Revision
from messaging.transcript.view import MessageView


@transaction.atomic
def edit(who: Viewer, message: str | UUID, text: str, revision: int | None = None, token: str = "") -> MessageView:
    """The message with its new text. The same text again changes nothing.

    revision: the one that the author had before their eyes. Raises Hidden; Forbidden for who is not its author;
    Refusal: 413 and 422 on `text`, 409 `deleted`, `conflict` or `too_often`, 403 where its audience takes a right that
    is gone.
    """
    check_bound(text, agent_bound=False)
    about = hold(who, message, token)
    about.only_author()
    about.must_stand(revision)
    audience = about.row.typed_audience
    about.room.demand(about.who, needed(audience))
    check_bound(text, agent_bound=is_agent_bound(audience))
    if text == about.row.text:
        return about.view()
    about.must_not_have_grown()
    _write(about, text)
    return about.view()


def _write(about: Subject, text: str) -> None:
    row, now = about.row, timezone.now()
    if row.revision == 1:
        Revision.objects.create(message=row, n=1, text=row.text, at=row.created_at)
    row.text, row.revision, row.edited_at = text, row.revision + 1, now
    row.save(update_fields=["text", "revision", "edited_at"])
    made = Revision.objects.create(message=row, n=row.revision, text=text, at=now)
    about.journal(Kind.REVISION, made.id, _replace(about))
    note(Verb.EDITED, about.who, row.session_id, row.id, revision=row.revision)


def _replace(about: Subject) -> list[Transition]:
    """What waits is superseded, and the new text stands in its place in the queue."""
    withdrawn = withdraw(Q(message=about.row.id), about.who.handle, "edited")
    seats = mailbox.lock({old.seat_id for old, _ in withdrawn})
    placed = put_letters(replacing([old for old, _ in withdrawn], about.row, about.who.name, seats))
    hand_over(placed.values())
    return [*(step for _, step in withdrawn), *placed[about.row.id].steps]
