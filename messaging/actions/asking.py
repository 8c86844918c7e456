"""Asks as rows: made open, then brought to their one end, each step with its number in the session and on record.

A part of the verbs about asks; it opens no transaction. Wanted: the session's clock locked.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.utils import timezone

from messaging.actions.audit import note
from messaging.domain.actor import HOUSE
from messaging.domain.ask import OPEN_FOR, TABLE, AskKind, AskState, digest
from messaging.domain.audit import Verb
from messaging.journal import clock as clocks
from messaging.journal.clock import Held
from messaging.journal.models import Kind
from messaging.mailbox.models import ToolCall
from messaging.roster.access import Caller
from messaging.roster.models import Agent, Membership, Person, Session
from messaging.transcript.models import Ask, AskStep


@dataclass(frozen=True, slots=True)
class Wish:
    """What an agent asks, and whom. `asker`: who set it to work; `call` and `tool`: of an ask that a call waits for."""

    person: Person
    agent: Agent
    kind: AskKind
    content: str
    options: Sequence[str]
    call: UUID | None = None
    asker: str = ""
    tool: str = ""


def make(held: Held, wish: Wish) -> Ask:
    """An open ask to one person, with exactly this content, until its time is over."""
    now = timezone.now()
    row = Ask.objects.create(
        session_id=held.session,
        person=wish.person,
        agent=wish.agent,
        kind=wish.kind,
        call=wish.call,
        asker=wish.asker,
        tool=wish.tool,
        content=wish.content,
        digest=digest(wish.content),
        options=list(wish.options),
        state=AskState.OPEN,
        made_at=now,
        expires_at=now + OPEN_FOR,
    )
    _step(held, row, AskState.OPEN, wish.agent.handle.spelled, "made", person=wish.person.handle.spelled)
    return row


def end(held: Held, row: Ask, state: AskState, by: Caller | str, answer: str = "") -> bool:
    """Brings an open ask to its end; whether this did. One that has ended stays as it is."""
    TABLE.check(AskState.OPEN, state)
    told = {"state": state, "answer": answer, "ended_at": timezone.now()}
    if not Ask.objects.filter(id=row.id, state=AskState.OPEN).update(**told):
        return False
    # Of a question the answer is an agent's words: which it was, the row says.
    detail = {"answer": answer} if row.kind == AskKind.APPROVAL and answer else {}
    _step(held, row, state, by, str(state), **detail)
    row.state, row.answer = state, answer
    return True


def expire(session: UUID) -> None:
    """Ends those of the session whose time is over."""
    late = Ask.objects.filter(session=session, state=AskState.OPEN, expires_at__lte=timezone.now())
    for row in late.order_by("expires_at", "id"):
        # Others may have counted the clock up since it was locked.
        end(clocks.lock([session])[session], row, AskState.EXPIRED, HOUSE)


def withdraw(held: Held, turns: Collection[UUID], by: str) -> None:
    """Ends those that calls of these turns wait for: their turns have ended."""
    calls = ToolCall.objects.filter(turn__in=turns, ask__isnull=False).values("id")
    for row in Ask.objects.filter(session=held.session, state=AskState.OPEN, call__in=calls).order_by("made_at", "id"):
        end(held, row, AskState.WITHDRAWN, by)


def whom(session: Session, handle: str) -> Person | None:
    """A person of the session who can sign in, by handle; None for anybody else."""
    here = Membership.objects.filter(session=session, left_at=None, person__handle__spelled=handle)
    row = here.exclude(person__account__is_active=False).select_related("person__handle").first()
    return row.person if row is not None else None


def _step(held: Held, row: Ask, state: AskState, by: Caller | str, change: str, **detail: str) -> None:
    made = AskStep.objects.create(ask=row, state=state, at=timezone.now())
    clocks.append(held, [(Kind.ASK, made.id)])
    told = {"kind": str(row.kind), "change": change, "digest": row.digest} | ({"tool": row.tool} if row.tool else {})
    note(Verb.ASK, by, held.session, row.id, **told, **detail)
