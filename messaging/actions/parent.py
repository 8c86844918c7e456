"""Finds what a post replies to, among what its author may see. Hidden and absent are alike."""

from __future__ import annotations

from dataclasses import dataclass

from messaging.actions.draft import Draft, Refusal
from messaging.actions.facts import Room
from messaging.domain.compat import Parent
from messaging.mailbox.models import Delivery
from messaging.roster.access import AgentCaller, Viewer
from messaging.transcript import build, visible
from messaging.transcript.models import Message


@dataclass(frozen=True, slots=True)
class Found:
    """The parent as a row, and what the rules want to know of it. `shown`: the replying agent's own delivery of it."""

    row: Message
    parent: Parent
    shown: Delivery | None = None


def find(draft: Draft, room: Room) -> Found | None:
    """The parent, or None for a post that is no reply. Raises Refusal, 422 on `reply_to`."""
    if draft.answers is not None:
        return _found(build.joined(Message.objects.filter(id=draft.answers)).get())
    if draft.reply_to is None:
        return None
    rows = build.joined(Message.objects.filter(id=draft.reply_to, session=room.session, deleted_at=None))
    if isinstance(draft.author, Viewer):
        row = visible.to(draft.author, rows).first()
        shown = None
    else:
        row, shown = _for_agent(draft.author, room, rows.first())
    if row is None:
        raise Refusal.shape("reply_to", "is no message that you can see here", "no_such_parent")
    return _found(row, shown)


def of(row: Message) -> Found | None:
    """What a message replies to, or answers, whoever asks; None where it does neither."""
    above = row.reply_to_id or row.answers_id
    return _found(build.joined(Message.objects.filter(id=above)).get()) if above else None


def _found(row: Message, shown: Delivery | None = None) -> Found:
    who = build.author(row)
    return Found(row, Parent(row.typed_audience, who.id, who.kind), shown)


def _for_agent(agent: AgentCaller, room: Room, row: Message | None) -> tuple[Message | None, Delivery | None]:
    """An agent can reply to what it was shown, and to what it said itself."""
    seat = room.seats.get(agent.handle)
    if row is None or seat is None:
        return None, None
    shown = Delivery.objects.filter(seat=seat, message=row.id, delivered_at__isnull=False, withheld_at=None)
    delivery = shown.select_related("seat").order_by("-place").first()
    return (row, delivery) if delivery or row.agent_id == agent.id else (None, None)
