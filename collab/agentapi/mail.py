"""What an agent reads: rows of its own seats, through the restricted alias."""

from __future__ import annotations

from dataclasses import replace

from collab.api.schemas import MailOut, MailPage, WhoOut
from messaging.actions.take import take
from messaging.mailbox.models import Delivery, Seat, Utterance
from messaging.roster.access import AgentCaller
from messaging.roster.models import Session
from messaging.transcript.view import MessageView

#: The database alias whose role (or authorizer) knows the mailbox alone: the third ring.
ALIAS = "agents"


def page(caller: AgentCaller, session: Session, *, after: int | None, before: int | None, limit: int) -> MailPage:
    """Takes what waits, then reads the seat's rows by its own numbers, ascending. Raises Hidden without a seat."""
    seat = take(caller, session)
    items = sorted([*_heard(seat), *_said(seat, caller)], key=lambda item: item.seq)
    items = [item for item in items if item.seq > (after or 0) and (before is None or item.seq < before)]
    if after is not None:
        return MailPage(items=items[:limit], next=items[limit - 1].seq if len(items) > limit else None)
    return MailPage(items=items[-limit:], next=items[-limit].seq if len(items) > limit else None)


def _heard(seat: Seat) -> list[MailOut]:
    rows = Delivery.objects.using(ALIAS).filter(seat=seat.id, number__isnull=False, withheld_at=None)
    return [
        MailOut(
            id=str(row.message),
            seq=row.number or 0,
            text=row.text,
            audience=row.audience,
            to=row.to,
            author=WhoOut(id=row.author, kind=row.author_kind, name=row.author_name),
            on_behalf_of=row.on_behalf_of,
            reply_to=str(row.re) if row.re else None,
            created_at=row.said_at,
        )
        for row in rows
    ]


def _said(seat: Seat, caller: AgentCaller) -> list[MailOut]:
    rows = Utterance.objects.using(ALIAS).filter(seat=seat.id, number__isnull=False)
    return [
        MailOut(
            id=str(row.message or row.id),
            seq=row.number or 0,
            text=row.text,
            audience="",
            to=[],
            author=WhoOut(id=caller.handle, kind="agent", name=caller.name),
            on_behalf_of="",
            reply_to=None,
            created_at=row.said_at,
        )
        for row in rows
    ]


def redacted(message: MessageView) -> MessageView:
    """An agent's own message as it may see it: without the session's numbers, or what became of it before others.

    `seq` is the seat's own; the session's would count what the agent may not see.
    """
    number = Utterance.objects.using(ALIAS).filter(message=message.id).values_list("number", flat=True).first()
    return replace(message, seq=number or 0, deliveries=[], ever_delivered=False)
