"""The steps of a turn: begin, try, wait for the next try, end. Whoever makes one holds the locks of seat and turn."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Q, QuerySet

from messaging.domain.actor import AGENTS
from messaging.domain.turn import TABLE, TurnState, Window
from messaging.mailbox import steer
from messaging.mailbox.lease import LEASE
from messaging.mailbox.models import Attempt, Delivery, Transition, Turn, TurnStep, Utterance


@dataclass(frozen=True, slots=True)
class Ended:
    """A turn's last step, and those of what came too late to steer it."""

    step: TurnStep
    late: list[Transition]


def at_work() -> QuerySet[Turn]:
    """Turns that run, or have an answer that the house has not collected yet."""
    uncollected = Utterance.objects.filter(kind=Utterance.Kind.ANSWER, message=None)
    return Turn.objects.filter(Q(state=TurnState.RUNNING) | Q(id__in=uncollected.values("turn")))


def begin(turn: UUID, delivery: Delivery, now: datetime) -> Turn:
    """A new running turn on this input, with its first step written before it."""
    TurnStep.objects.create(turn_id=turn, step=1, before="", after=TurnState.RUNNING, by=AGENTS, at=now)
    return Turn.objects.create(
        id=turn, seat_id=delivery.seat_id, input=delivery, state=TurnState.RUNNING, step=1, started_at=now
    )


def attempt(turn: Turn, now: datetime) -> Attempt:
    """The next try at a running turn; it holds the lease from now."""
    tried = Attempt.objects.create(turn=turn, n=turn.attempts + 1, state=TurnState.RUNNING, started_at=now)
    turn.attempts, turn.lease_owner, turn.lease_until, turn.not_before = tried.n, tried.id, now + LEASE, None
    turn.save(update_fields=["attempts", "lease_owner", "lease_until", "not_before"])
    return tried


def park(turn: Turn, now: datetime) -> None:
    """The running try waits for the house, held by nobody. Its turn still takes steering."""
    turn.lease_owner, turn.lease_until, turn.not_before, turn.parked_at = None, None, None, now
    turn.save(update_fields=["lease_owner", "lease_until", "not_before", "parked_at"])


def resume(turn: Turn, now: datetime) -> Attempt:
    """The try that was parked goes on; it holds the lease from now."""
    tried = Attempt.objects.get(turn=turn, n=turn.attempts)
    turn.lease_owner, turn.lease_until, turn.not_before, turn.parked_at = tried.id, now + LEASE, None, None
    turn.save(update_fields=["lease_owner", "lease_until", "not_before", "parked_at"])
    return tried


def put_off(turn: Turn, reason: str, not_before: datetime, now: datetime) -> None:
    """The running try has failed; the turn waits, held by nobody, for its next one, which can be steered anew."""
    _end_tries(turn, TurnState.FAILED, reason, retryable=True, now=now)
    turn.window = Window.OPEN
    turn.lease_owner, turn.lease_until, turn.not_before = None, None, not_before
    turn.save(update_fields=["window", "lease_owner", "lease_until", "not_before"])


def end(
    turn: Turn,
    state: TurnState,
    now: datetime,
    *,
    by: str = AGENTS,
    reason: str = "",
    retryable: bool = False,
    journaled: bool = False,
) -> Ended:
    """Ends a running turn and the try that runs. Nobody holds it any more, nothing steers it. Raises IllegalMove.

    journaled: the house ends it, and journals its steps in the same transaction.
    """
    TABLE.check(turn.state, state)
    step = TurnStep.objects.create(
        turn=turn,
        step=turn.step + 1,
        before=turn.state,
        after=state,
        reason=reason,
        by=by,
        at=now,
        journaled=journaled,
    )
    _end_tries(turn, state, reason, retryable=retryable, now=now)
    turn.state, turn.step, turn.reason, turn.retryable, turn.ended_at = state, step.step, reason, retryable, now
    turn.window, turn.lease_owner, turn.lease_until, turn.not_before = Window.CLOSED, None, None, None
    turn.save(update_fields=_AT_THE_END)
    return Ended(step, steer.refuse_late(turn, by, journaled=journaled))


_AT_THE_END = (
    "state", "step", "reason", "retryable", "ended_at", "window", "lease_owner", "lease_until", "not_before",
)  # fmt: skip


def _end_tries(turn: Turn, state: TurnState, reason: str, *, retryable: bool, now: datetime) -> None:
    tries = Attempt.objects.filter(turn=turn, state=TurnState.RUNNING)
    tries.update(state=state, reason=reason, retryable=retryable, ended_at=now)
