"""Changes a message's text. Who has not been shown it gets the new one in its place; what was shown stays on record."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from messaging.actions.audit import note
from messaging.actions.letters import hand_over, put_letters
from messaging.actions.shape import check_bound
from messaging.actions.subject import Subject, hold
from messaging.actions.withdraw import withdraw
from messaging.domain.audience import ActiveAgent, Agents, Everyone, is_agent_bound
from messaging.domain.audit import Verb
from messaging.domain.capability import needed
from messaging.domain.disposition import Disposition
from messaging.domain.envelope import Envelope, FromKind
from messaging.journal.models import Kind
from messaging.mailbox import clear as mailbox
from messaging.mailbox.models import Delivery, Purpose, Seat, Transition
from messaging.mailbox.put import Letter
from messaging.roster.access import Viewer
from messaging.transcript.models import Revision
from messaging.transcript.view import MessageView


@transaction.atomic
def edit(who: Viewer, message: str | UUID, text: str, revision: int | None = None, token: str = "") -> MessageView:
    """The message with its new text. The same text again changes nothing.

    revision: the one that the author had before their eyes. Raises Hidden; Forbidden for who is not its author;
    Refusal: 413 and 422 on `text`, 409 `deleted` or `conflict`, 403 where its audience takes a right that is gone.
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
    withdrawn = withdraw(about.row.id, about.who.handle, "edited")
    seats = mailbox.lock({old.seat_id for old, _ in withdrawn})
    placed = put_letters(_letters(about, [old for old, _ in withdrawn], seats))
    hand_over(placed.values())
    return [*(step for _, step in withdrawn), *placed[about.row.id].steps]


def _letters(about: Subject, olds: Sequence[Delivery], seats: dict[UUID, Seat]) -> list[Letter]:
    # After the old rows were superseded, so that the trail tells it in this order.
    audience, now = about.row.typed_audience, timezone.now()
    if not isinstance(audience, ActiveAgent | Agents | Everyone):
        return []
    return [
        Letter(
            seats[old.seat_id],
            old.message,
            audience,
            Purpose(old.purpose),
            Envelope(FromKind(old.author_kind), old.author, tuple(old.to), old.on_behalf_of),
            about.who.name,
            about.row.text,
            old.said_at,
            cleared=old.cleared_at is not None,
            re=old.re,
            at=now,
            revision=about.row.revision,
            place=old.place,
            steers=old.turn if old.state == Disposition.STEERING_REQUESTED else None,
            reason="edited",
        )
        for old in olds
    ]
