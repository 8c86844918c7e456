"""Brings what agents did into the transcript: their steps into the journal, their answers through the front door."""

from __future__ import annotations

import logging
from uuid import UUID

from django.db import transaction

from messaging.actions.clear import clear
from messaging.actions.draft import Draft, Refusal
from messaging.actions.post import post
from messaging.domain.disposition import Disposition
from messaging.domain.turn import TurnState
from messaging.journal import clock as clocks
from messaging.journal import metrics
from messaging.journal.models import Kind
from messaging.mailbox.models import Attempt, Transition, Turn, TurnStep, Utterance
from messaging.mailbox.move import Move, move
from messaging.roster.access import caller_of
from messaging.roster.models import Agent, Session

log = logging.getLogger(__name__)


def collect(session: UUID) -> None:
    """Journals and posts all that this session's hosted seats have done since. Repeating it does nothing."""
    with transaction.atomic():
        if not clocks.lock([session]):
            return
        _journal(session)
        for answer in _answers(session):
            _post(session, answer)
    clear(session)


def _journal(session: UUID) -> None:
    """Every step without an entry, in the order of their times."""
    steps = list(Transition.objects.filter(delivery__seat__session=session, journaled=False))
    turns = list(TurnStep.objects.filter(turn__seat__session=session, journaled=False))
    tries = list(Attempt.objects.filter(turn__seat__session=session, state=TurnState.FAILED, journaled=False))
    items = [(step.at, 0, step.step, Kind.DISPOSITION, step.id) for step in steps]
    items += [(one.ended_at or one.started_at, 1, 0, Kind.ATTEMPT, one.id) for one in tries]
    items += [(step.at, 1, step.step, Kind.TURN, step.id) for step in turns]
    clocks.append(clocks.lock([session])[session], [(kind, ref) for *_, kind, ref in sorted(items)])
    Transition.objects.filter(id__in=[step.id for step in steps]).update(journaled=True)
    TurnStep.objects.filter(id__in=[step.id for step in turns]).update(journaled=True)
    Attempt.objects.filter(id__in=[one.id for one in tries]).update(journaled=True)
    for step in steps:
        metrics.dispositions.labels(step.after).inc()
    for turn in turns:
        metrics.turns.labels(turn.after).inc()


def _answers(session: UUID) -> list[Utterance]:
    rows = Utterance.objects.filter(kind=Utterance.Kind.ANSWER, message=None, seat__session=session)
    return list(rows.select_related("seat", "turn__input").order_by("said_at", "id"))


def _post(session: UUID, answer: Utterance) -> None:
    """Posts one answer and links it. A refused one is marked as dealt with: its turn stays finished, unanswered."""
    if answer.turn is None:
        return
    agent = Agent.objects.select_related("handle").get(id=answer.seat.agent)
    draft = Draft(
        caller_of(agent),
        session,
        answer.text,
        Session.objects.get(id=session).answers,
        turn=answer.turn.id,
        answers=answer.turn.input.message,
    )
    outcome = post([draft])[0]
    if isinstance(outcome, Refusal):
        log.warning("answer of turn %s refused: %s", answer.turn.id, outcome.code)
        Utterance.objects.filter(id=answer.id).update(message=answer.id)
        return
    Utterance.objects.filter(id=answer.id).update(message=outcome.message.id)
    log.info("turn %s answered message %s", answer.turn.id, answer.turn.input.message)
    _respond(session, answer.turn)


def _respond(session: UUID, turn: Turn) -> None:
    wish = Move(turn.input_id, Disposition.DELIVERED, Disposition.RESPONDED, turn.seat.handle, turn=turn.id)
    steps = move([wish], journaled=True)
    clocks.append(clocks.lock([session])[session], [(Kind.DISPOSITION, step.id) for step in steps])
    metrics.dispositions.labels(Disposition.RESPONDED).inc(len(steps))
