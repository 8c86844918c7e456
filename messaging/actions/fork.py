"""A session that goes on from another one: with what its agent was shown and said there, and nothing else by itself."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from messaging.actions import carry
from messaging.actions.audit import note
from messaging.actions.draft import Refusal
from messaging.actions.open_session import Beginning, open_session
from messaging.domain.audience import AGENT_BOUND
from messaging.domain.audit import Verb
from messaging.domain.capability import Capability
from messaging.domain.disposition import SHOWN
from messaging.domain.text import MAX_TITLE
from messaging.journal import clock as clocks
from messaging.mailbox.models import Delivery, Utterance
from messaging.roster import access
from messaging.roster.access import Viewer
from messaging.roster.models import Agent, Person, Session
from messaging.transcript import build, visible
from messaging.transcript.models import Message
from messaging.transcript.view import MessageView


@transaction.atomic
def fork(
    who: Viewer,
    session: Session,
    *,
    title: str = "",
    until: UUID | None = None,
    messages: Sequence[UUID] = (),
    reason: str = "",
    confirm: bool = False,
) -> Session:
    """A new session of the caller's, with the same active agent, that begins with what it was told and answered.

    until: the last message that is carried. messages: words of people among themselves that are to be heard there, too.
    Takes the right to export. Raises Hidden, Forbidden, ValidationError on `title`, or Refusal: 422 on `until`,
    `messages` or `reason`, 409 `confirm_required`.
    """
    clocks.lock([session.id])
    access.demand(who, session, Capability.EXPORT)
    also = carry.chosen(who, session, messages)
    carry.demand_widening(who, session, also, reason, confirm=confirm)
    rows = _told(who, session, until)
    rows = sorted({row.id: row for row in (*rows, *also)}.values(), key=lambda row: row.seq)[-carry.MOST :]
    owner = Person.objects.select_related("handle").get(id=who.id)
    named = title or f"Fork of {session.title}"[:MAX_TITLE]
    made = open_session(owner, title=named, active_agent=_active(session), beginning=Beginning(fork_of=session))
    note(Verb.SESSION, who, made.id, change="forked", of=str(session.id), messages=len(rows))
    carry.on_record(who, also, made, reason)
    carry.carry(who, rows, made, "everyone", via="fork")
    return made


def begins_with(who: Viewer, session: Session, until: UUID | None = None) -> list[MessageView]:
    """What a fork would begin with. Raises Hidden, Forbidden, or Refusal (422 on `until`)."""
    access.demand(who, session, Capability.EXPORT)
    return build.messages(_told(who, session, until))


def _active(session: Session) -> Agent | None:
    agents = Agent.objects.select_related("handle")
    return agents.filter(id=session.active_agent_id, enabled=True).first() if session.active_agent_id else None


def _told(who: Viewer, session: Session, until: UUID | None) -> list[Message]:
    """What the session's active agent was shown or said, was not taken back, and the caller sees; the newest of it."""
    own = {"seat__session": session.id, "seat__agent": session.active_agent_id, "withheld_at": None}
    shown = Delivery.objects.filter(state__in=SHOWN, **own).values("message")
    said = Utterance.objects.filter(kind=Utterance.Kind.ANSWER, message__isnull=False, **own).values("message")
    rows = Message.objects.filter(Q(id__in=shown) | Q(id__in=said), session=session, deleted_at=None)
    rows = visible.to(who, build.joined(rows.filter(audience__in=AGENT_BOUND)))
    if until is not None:
        last = visible.to(who, Message.objects.filter(session=session, id=until)).first()
        if last is None:
            raise Refusal.shape("until", "is no message that you can see there")
        rows = rows.filter(seq__lte=last.seq)
    return list(reversed(rows.order_by("-seq")[: carry.MOST]))
