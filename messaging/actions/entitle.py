"""Titles that agents propose: taken where no person gave one, and dropped with what they were made of."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from messaging.domain.audience import AGENT_BOUND
from messaging.domain.title import UNTITLED, By
from messaging.journal import clock as clocks
from messaging.journal.clock import Held
from messaging.journal.models import Kind
from messaging.mailbox.models import Seat, Utterance
from messaging.roster.models import Session, SessionChange
from messaging.transcript.models import Message


def take_proposed(held: Held) -> None:
    """What the session's agents propose becomes its title, unless a person gave it one. Under the locked clock."""
    proposed = list(_titles(held).filter(message=None, withheld_at=None).order_by("said_at"))
    for row in proposed:
        Utterance.objects.filter(id=row.id).update(message=row.id)
    if proposed and _change(held, ~Q(title_by=By.PERSON), proposed[-1].text, By.AGENT):
        Seat.objects.filter(session=held.session).update(titles=False)


def drop_lost(held: Held) -> None:
    """A title made of what was taken back is nobody's any more. Under the locked clock, after the withholding."""
    session = Session.objects.get(id=held.session)
    if session.title_by == By.AGENT and not _titles(held).filter(message__isnull=False, withheld_at=None).exists():
        _change(held, Q(title_by=By.AGENT), UNTITLED, By.NOBODY)
    if session.title_by == By.FIRST and not _first_stands(session):
        _change(held, Q(title_by=By.FIRST), UNTITLED, By.NOBODY)


def _titles(held: Held) -> QuerySet[Utterance]:
    return Utterance.objects.filter(seat__session=held.session, kind=Utterance.Kind.TITLE)


def _first_stands(session: Session) -> bool:
    first = Message.objects.filter(session=session).order_by("seq").first()
    return first is not None and first.deleted_at is None and first.audience in AGENT_BOUND


def _change(held: Held, where: Q, title: str, by: By) -> bool:
    changed = Session.objects.filter(where, id=held.session).update(title=title, title_by=by)
    if changed:
        change = SessionChange.objects.create(session_id=held.session)
        clocks.append(held, [(Kind.SESSION, change.id)])
    return bool(changed)
