"""Wakes every row whose wake-up got lost. Nothing depends on a queue remembering."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from uuid import UUID

from django.db.models import Exists, OuterRef
from django.utils import timezone

from messaging.actions import owners
from messaging.actions.clear import clear
from messaging.actions.collect import collect
from messaging.domain.ask import AskState
from messaging.domain.call import CallState
from messaging.domain.disposition import Disposition
from messaging.domain.turn import TurnState
from messaging.mailbox import wake
from messaging.mailbox.models import Attempt, Delivery, Purpose, ToolCall, Transition, Turn, TurnStep, Usage, Utterance
from messaging.transcript.models import Ask

#: Pieces are for eyes that watch, steps for the turn that goes on; once it has ended they are kept this long.
PIECES_KEPT = timedelta(minutes=1)
_BATCH = 200


def sweep() -> None:
    """Collects, clears and wakes what waits; drops pieces and steps of turns that ended."""
    owners.copy()
    for session in _uncollected():
        collect(session)
    for session in _uncleared():
        clear(session)
    for seat, placement in _unclaimed():
        wake.send(wake.Wake(seat, placement))
    ended = Turn.objects.filter(ended_at__lt=timezone.now() - PIECES_KEPT)
    Utterance.objects.filter(kind__in=(Utterance.Kind.PIECE, Utterance.Kind.STEP), turn__in=ended).delete()


def _uncollected() -> Iterable[UUID]:
    steps = Transition.objects.filter(journaled=False).values_list("delivery__seat__session", flat=True)
    turns = TurnStep.objects.filter(journaled=False).values_list("turn__seat__session", flat=True)
    tries = Attempt.objects.filter(state=TurnState.FAILED, journaled=False).values_list(
        "turn__seat__session", flat=True
    )
    kinds = (Utterance.Kind.ANSWER, Utterance.Kind.TITLE)
    said = Utterance.objects.filter(kind__in=kinds, message=None)
    answers = said.exclude(kind=Utterance.Kind.TITLE, withheld_at__isnull=False).values_list("seat__session", flat=True)
    calls = ToolCall.objects.filter(state=CallState.WAITING, answer=None).values_list("turn__seat__session", flat=True)
    used = Usage.objects.filter(charged_at=None).values_list("seat__session", flat=True)
    # Asks whose time is over, also those that no call waits for.
    late = Ask.objects.filter(state=AskState.OPEN, expires_at__lte=timezone.now()).values_list("session", flat=True)
    waiting = (steps, turns, tries, answers, calls, used, late)
    return {session for rows in waiting for session in rows.distinct()[:_BATCH]}


def _uncleared() -> Iterable[UUID]:
    rows = Delivery.objects.filter(state=Disposition.QUEUED, purpose=Purpose.INPUT, cleared_at=None)
    return set(rows.values_list("seat__session", flat=True).distinct()[:_BATCH])


def _unclaimed() -> Iterable[tuple[UUID, str]]:
    running = Turn.objects.filter(seat=OuterRef("seat"), state=TurnState.RUNNING)
    rows = Delivery.objects.filter(
        ~Exists(running), state=Disposition.QUEUED, purpose=Purpose.INPUT, cleared_at__isnull=False
    )
    return set(rows.values_list("seat", "seat__placement").distinct()[:_BATCH])
