"""Records steps that the house itself made: into the journal, and into the counters."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from prometheus_client import Counter

from messaging.journal import clock as clocks
from messaging.journal import metrics
from messaging.journal.clock import Held
from messaging.journal.models import Kind
from messaging.mailbox.models import Transition, TurnStep


def record(held: Held, steps: Sequence[Transition]) -> None:
    """Gives each step its number under the session's locked clock. The steps carry the house's mark already."""
    clocks.append(held, [(Kind.DISPOSITION, step.id) for step in steps])
    count(steps)


def count(steps: Sequence[Transition]) -> None:
    """Counts steps of deliveries once they are committed."""
    _count(metrics.dispositions, steps)


def count_turns(steps: Sequence[TurnStep]) -> None:
    """Counts steps of turns once they are committed."""
    _count(metrics.turns, steps)


def _count(counter: Counter, steps: Sequence[Transition | TurnStep]) -> None:
    def run() -> None:
        for step in steps:
            counter.labels(step.after).inc()

    transaction.on_commit(run, robust=True)
