"""Writes what was composed: journal, messages, deliveries; one statement for each kind of row and session."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from messaging.actions.compose import Composed
from messaging.actions.letters import Placed, charge_turns, free_seats, hand_over, letters, put_letters
from messaging.actions.record import count
from messaging.domain.disposition import Disposition
from messaging.journal import clock as clocks
from messaging.journal.models import Kind
from messaging.mailbox.models import Purpose, SeatKind, Transition, Utterance
from messaging.mailbox.move import Move, move
from messaging.mailbox.number import next_number
from messaging.roster.spend import Purse
from messaging.sql import store
from messaging.transcript.models import Addressee, Message


@dataclass(frozen=True, slots=True)
class Written:
    """A draft as it was written. `seqs`: the number of each thing that its batch wrote."""

    one: Composed
    placed: Placed
    answers: UUID | None
    seqs: Mapping[UUID, int]


def write(ones: Sequence[Composed], purse: Purse, show: Callable[[Sequence[Written]], None]) -> None:
    """Writes all, in their order. Call it inside the transaction that gathered the facts.

    `show` is given what is written before it is sent: the commit may travel along, and after it nothing may fail.
    """
    free = free_seats(ones)
    mail = {one.id: letters(one, free) for one in ones}
    for one in ones:
        charge_turns(one, mail[one.id])
    answered = _respond(ones)
    with store.together(last=not _more_follows(ones)):
        purse.close()
        for books in {id(one.room.books): one.room.books for one in ones}.values():
            books.close()
        placed = put_letters([letter for one in ones for letter in mail[one.id]])
        steps = {one.id: [*placed[one.id].steps, *answered.get(one.id, ())] for one in ones}
        seqs = _journal(ones, steps)
        links = {one.id: _answers(one, responds=bool(answered.get(one.id))) for one in ones}
        store.insert(Message, _COLUMNS, [_row(one, seqs[one.id], links[one.id]) for one in ones])
        addressed = [(one.id, person) for one in ones for person, _ in one.people.values()]
        store.insert(Addressee, ("message", "person"), addressed)
        count([step for made in steps.values() for step in made])
        show([Written(one, placed[one.id], links[one.id], seqs) for one in ones])
    hand_over(placed.values())
    _note_said(ones)


def _more_follows(ones: Sequence[Composed]) -> bool:
    """Whether something is to be written once all this is there: context let go with an input, an agent's own words."""
    inputs = any(purpose == Purpose.INPUT for one in ones for _, purpose in one.seats)
    return inputs or any(one.child for one in ones) or any(one.draft.author.kind == "agent" for one in ones)


def _respond(ones: Sequence[Composed]) -> dict[UUID, list[Transition]]:
    """A connected agent's reply to what it was shown answers that delivery: an explicit link, made once.

    A hosted agent's input is answered by its turn alone.
    """
    made: dict[UUID, list[Transition]] = {}
    for one in ones:
        shown = one.parent.shown if one.parent else None
        if shown is not None and shown.state == Disposition.DELIVERED and shown.seat.kind == SeatKind.CONNECTED:
            made[one.id] = move(
                [Move(shown.id, Disposition.DELIVERED, Disposition.RESPONDED, one.draft.author.handle)], journaled=True
            )
    return made


def _note_said(ones: Sequence[Composed]) -> None:
    """What a connected agent said itself lies in its mailbox too, under the seat's next number."""
    for one in ones:
        seat = one.room.seats.get(one.draft.author.handle) if one.draft.author.kind == "agent" else None
        if seat is None or one.draft.turn is not None:
            continue
        Utterance.objects.create(
            seat=seat,
            kind=Utterance.Kind.POST,
            text=one.draft.text,
            number=next_number(seat),
            message=one.id,
            said_at=one.now,
        )


def _journal(ones: Sequence[Composed], steps: Mapping[UUID, Sequence[Transition]]) -> dict[UUID, int]:
    """The next numbers of all sessions concerned; the number of each message and step."""
    items: dict[UUID, list[tuple[Kind, UUID]]] = defaultdict(list)
    for one in ones:
        items[one.room.session.id].append((Kind.MESSAGE, one.id))
        items[one.room.session.id].extend((Kind.DISPOSITION, step.id) for step in steps[one.id])
    held = {one.room.session.id: one.room.clock for one in ones}
    numbers = clocks.append_all([(held[key], items[key]) for key in sorted(held)])
    return {
        ref: seq
        for key, seqs in zip(sorted(held), numbers, strict=True)
        for (_, ref), seq in zip(items[key], seqs, strict=True)
    }


#: What a new message brings; the rest comes later or never.
_COLUMNS = (
    "id", "session", "seq", "author_kind", "person", "agent", "text", "audience", "targets", "to", "compat",
    "on_behalf_of", "reply_to", "answers", "turn", "dispatch", "child", "source", "client_key", "request", "created_at",
)  # fmt: skip


def _row(one: Composed, seq: int, answers: UUID | None) -> tuple[Any, ...]:
    draft = one.draft
    human = draft.author.kind == "human"
    return (
        one.id,
        one.room.session.id,
        seq,
        draft.author.kind,
        draft.author.id if human else None,
        None if human else draft.author.id,
        draft.text,
        one.audience.kind,
        one.targets,
        one.resolved.to,
        one.resolved.compat,
        draft.on_behalf_of,
        one.reply_to,
        answers,
        draft.turn,
        draft.dispatch,
        one.child[0] if one.child else None,
        draft.source,
        draft.client_key,
        one.request,
        one.now,
    )


def _answers(one: Composed, *, responds: bool) -> UUID | None:
    """What it answers: only the first reply of an agent to what it was shown does, for an input has one answer."""
    return one.draft.answers or (one.parent.row.id if one.parent and responds else None)
