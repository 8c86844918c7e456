"""What an agent reads: rows of its own seats, through the restricted alias."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar
from uuid import UUID

from django.db.models import Manager, QuerySet

from collab.api.gives import MailOut, MailPage, WhoOut
from messaging.actions.take import take
from messaging.domain.disposition import Disposition
from messaging.mailbox.models import Delivery, Utterance
from messaging.mailbox.shown import had
from messaging.roster.access import AgentCaller
from messaging.roster.models import Session
from messaging.transcript.view import MessageView

#: The database alias whose role (or authorizer) knows the mailbox alone: the third ring.
ALIAS = "agents"
Row = TypeVar("Row", Delivery, Utterance)


def page(caller: AgentCaller, session: Session, *, after: int | None, before: int | None, limit: int) -> MailPage:
    """Takes what waits, then reads the seat's rows by its own numbers, ascending. Raises Hidden without a seat."""
    span = Span(after, before, limit)
    seat = take(caller, session, _room_for_more(caller, session, span))
    rows = span.of(_kept(Delivery.objects).filter(seat=seat.id))
    known = had(seat.id, [row.re for row in rows if row.re], ALIAS)
    heard = [_heard(row, known) for row in rows]
    said = [_said(row, caller) for row in span.of(_kept(Utterance.objects).filter(seat=seat.id))]
    waiting = Delivery.objects.using(ALIAS).filter(seat=seat.id, state=Disposition.QUEUED, cleared_at__isnull=False)
    return span.page([*heard, *said], more=span.after is not None and waiting.exists())


def _room_for_more(caller: AgentCaller, session: Session, span: Span) -> int:
    """How many waiting rows the answer will have room for: only what is shown counts as delivered."""
    if span.before is not None:
        return 0
    if span.after is None:
        return span.limit
    own = {"seat__session": session.id, "seat__agent": caller.id, "number__gt": span.after}
    heard, said = _kept(Delivery.objects).filter(**own), _kept(Utterance.objects).filter(**own)
    return max(0, span.limit - heard[: span.limit].count() - said[: span.limit].count())


def _kept(rows: Manager[Row]) -> QuerySet[Row]:
    """What was not taken back. Its number stays its own: the agent has seen it, so the hole tells of nothing hidden."""
    return rows.using(ALIAS).filter(withheld_at=None)


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a seat's numbers: after one, before one, or the newest."""

    after: int | None
    before: int | None
    limit: int

    def of(self, rows: QuerySet[Row]) -> list[Row]:
        """At most one row more than asked for, from the end that was asked for."""
        wanted = {"number__isnull": False, "number__gt": self.after or 0}
        wanted |= {"number__lt": self.before} if self.before is not None else {}
        order = "number" if self.after is not None else "-number"
        return list(rows.filter(**wanted).order_by(order)[: self.limit + 1])

    def page(self, items: list[MailOut], *, more: bool) -> MailPage:
        """The items in their order, and where to go on. `more`: something waits that has no number yet."""
        forward = self.after is not None
        ordered = sorted(items, key=lambda item: item.seq, reverse=not forward)
        kept, more = ordered[: self.limit], more or len(ordered) > self.limit
        return MailPage(items=kept if forward else kept[::-1], next=kept[-1].seq if kept and more else None)


def _heard(row: Delivery, known: set[UUID]) -> MailOut:
    """`known`: the parents that this agent has seen itself; others it does not learn of."""
    return MailOut(
        id=str(row.message),
        seq=row.number or 0,
        author=WhoOut(id=row.author, kind=row.author_kind, name=row.author_name),
        text=row.text,
        audience=row.audience,
        to=row.to if row.re in known else [],
        on_behalf_of=row.on_behalf_of,
        reply_to=str(row.re) if row.re in known else None,
        created_at=row.said_at,
    )


def _said(row: Utterance, caller: AgentCaller) -> MailOut:
    return MailOut(
        id=str(row.message or row.id),
        seq=row.number or 0,
        author=WhoOut(id=caller.handle, kind="agent", name=caller.name),
        text=row.text,
        audience="",
        to=[],
        on_behalf_of="",
        reply_to=None,
        created_at=row.said_at,
    )


def redacted(message: MessageView) -> MessageView:
    """An agent's own message as it may see it: without the session's numbers, or what became of it before others.

    `seq` is the seat's own; the session's would count what the agent may not see.
    """
    number = Utterance.objects.using(ALIAS).filter(message=message.id).values_list("number", flat=True).first()
    return replace(message, seq=number or 0, deliveries=[], ever_delivered=False)
