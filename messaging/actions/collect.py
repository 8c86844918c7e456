"""Brings what agents did into the transcript: their steps into the journal, their answers through the front door."""

from __future__ import annotations

import logging
from dataclasses import replace
from uuid import UUID

from django.db import transaction

from messaging.actions.charge_tokens import charge_tokens
from messaging.actions.clear import clear
from messaging.actions.draft import Refusal
from messaging.actions.entitle import take_proposed
from messaging.actions.in_answer import in_answer, say
from messaging.actions.record import count, count_turns, record
from messaging.actions.settle import settle
from messaging.domain.disposition import NEVER_SHOWN, Disposition
from messaging.domain.turn import TurnState
from messaging.journal import clock as clocks
from messaging.journal.clock import Held
from messaging.journal.models import Kind
from messaging.mailbox.models import Attempt, Transition, Turn, TurnStep, Utterance
from messaging.mailbox.move import Move, forget_unheard, move
from messaging.mailbox.steer import steers

log = logging.getLogger(__name__)


def collect(session: UUID) -> None:
    """Journals and posts all that this session's hosted seats have done since. Repeating it does nothing."""
    with transaction.atomic():
        held = clocks.lock([session]).get(session)
        if held is None:
            return
        # Answers first: whatever is read here, its steps are there when they are read next.
        answers = _answers(session)
        _journal(held)
        for answer in answers:
            _post(session, answer)
        settle(session)
        take_proposed(clocks.lock([session])[session])
    charge_tokens(session)
    clear(session)


def _journal(held: Held) -> None:
    """Every step without an entry, in the order of their times, and every try that failed."""
    steps = list(Transition.objects.filter(delivery__seat__session=held.session, journaled=False))
    turns = list(TurnStep.objects.filter(turn__seat__session=held.session, journaled=False))
    tries = list(Attempt.objects.filter(turn__seat__session=held.session, state=TurnState.FAILED, journaled=False))
    items = [(step.at, 0, step.step, Kind.DISPOSITION, step.id) for step in steps]
    items += [(one.ended_at or one.started_at, 1, 0, Kind.ATTEMPT, one.id) for one in tries]
    items += [(step.at, 1, step.step, Kind.TURN, step.id) for step in turns]
    clocks.append(held, [(kind, ref) for *_, kind, ref in sorted(items)])
    forget_unheard(step.delivery_id for step in steps if step.after in NEVER_SHOWN)
    Transition.objects.filter(id__in=[step.id for step in steps]).update(journaled=True)
    TurnStep.objects.filter(id__in=[step.id for step in turns]).update(journaled=True)
    Attempt.objects.filter(id__in=[one.id for one in tries]).update(journaled=True)
    count(steps)
    count_turns(turns)


def _answers(session: UUID) -> list[Utterance]:
    rows = Utterance.objects.filter(kind=Utterance.Kind.ANSWER, message=None, seat__session=session)
    return list(rows.select_related("seat", "turn__input").order_by("said_at", "id"))


def _post(session: UUID, answer: Utterance) -> None:
    """Posts one answer and links it. For a refused one the turn says so, and it is not tried again."""
    if answer.turn is None:
        return
    asked = answer.turn.input.message
    draft = in_answer(answer.seat, answer.turn.input, answer.text)
    outcome = say(replace(draft, turn=answer.turn.id, answers=asked))
    kept = answer.id if isinstance(outcome, Refusal) else outcome.message.id
    Utterance.objects.filter(id=answer.id).update(message=kept)
    if isinstance(outcome, Refusal):
        log.warning("the answer of turn %s was refused: %s", answer.turn.id, outcome.code)
        Turn.objects.filter(id=answer.turn.id).update(reason="answer_refused")
        return
    log.info("turn %s answered message %s", answer.turn.id, asked)
    _respond(session, answer.turn)


def _respond(session: UUID, turn: Turn) -> None:
    """The answer is one to the input and to all that steered the turn."""
    before, after = Disposition.DELIVERED, Disposition.RESPONDED
    rows = [turn.input_id, *(steer.id for steer in steers([turn]))]
    wishes = [Move(row, before, after, turn.seat.handle, turn=turn.id) for row in rows]
    # The post has counted the clock up since it was locked, so it is read again.
    record(clocks.lock([session])[session], move(wishes, journaled=True))
