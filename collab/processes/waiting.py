"""What waits in the database, which is the only queue there is: rows, how old the oldest is, who holds turns."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Count, Min, Q, QuerySet

from messaging.domain.disposition import Disposition
from messaging.domain.turn import TurnState
from messaging.mailbox.models import Attempt, Delivery, Purpose, Transition, Turn, TurnStep, Utterance


@dataclass(frozen=True, slots=True)
class Queue:
    """Rows that wait for the same step, and when the oldest of them began to (UTC; None where none waits)."""

    name: str
    rows: int
    oldest: datetime | None


@dataclass(frozen=True, slots=True)
class Holder:
    """A running turn. `lease_owner` is None while it waits for its next attempt, at `not_before`."""

    agent: str
    session: UUID
    turn: UUID
    attempts: int
    started_at: datetime
    lease_owner: UUID | None
    lease_until: datetime | None
    not_before: datetime | None


def waiting() -> list[Queue]:
    """All queues, in the order in which a question passes them. Raises DatabaseError where nobody answers.

    `uncleared`: questions that the house has not let through (also those behind one that runs). `unclaimed`:
    let through, and no agent has taken them. `unjournaled`: steps of deliveries, turns and failed attempts that
    people have not been told. `unposted`: answers that are not messages yet.
    """
    inputs = Delivery.objects.filter(purpose=Purpose.INPUT, state=Disposition.QUEUED, withheld_at=None)
    answers = Utterance.objects.filter(kind=Utterance.Kind.ANSWER, message=None)
    return [
        _queue("uncleared", _counted(inputs.filter(cleared_at=None), "changed_at")),
        _queue("unclaimed", _counted(inputs.filter(cleared_at__isnull=False), "cleared_at")),
        _queue("unjournaled", *_steps()),
        _queue("unposted", _counted(answers, "said_at")),
    ]


def holders() -> list[Holder]:
    """The running turns, the oldest first."""
    running = Turn.objects.filter(state=TurnState.RUNNING).select_related("seat").order_by("started_at", "id")
    return [
        Holder(
            turn.seat.handle,
            turn.seat.session,
            turn.id,
            turn.attempts,
            turn.started_at,
            turn.lease_owner,
            turn.lease_until,
            turn.not_before,
        )
        for turn in running
    ]


Counted = tuple[int, datetime | None]


def _steps() -> list[Counted]:
    tries = Attempt.objects.filter(state=TurnState.FAILED, journaled=False)
    return [
        _counted(Transition.objects.filter(journaled=False), "at"),
        _counted(TurnStep.objects.filter(journaled=False), "at"),
        _counted(tries.filter(~Q(ended_at=None)), "ended_at"),
    ]


def _counted(rows: QuerySet[Any], since: str) -> Counted:
    found = rows.aggregate(rows=Count("pk"), oldest=Min(since))
    return found["rows"], found["oldest"]


def _queue(name: str, *parts: Counted) -> Queue:
    """One queue of several tables' rows."""
    times = [oldest for _, oldest in parts if oldest is not None]
    return Queue(name, sum(rows for rows, _ in parts), min(times, default=None))
