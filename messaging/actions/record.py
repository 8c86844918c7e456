"""Records steps of deliveries that the house itself made: into the journal, and into the counters."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction

from messaging.journal import clock as clocks
from messaging.journal import metrics
from messaging.journal.clock import Held
from messaging.journal.models import Kind
from messaging.mailbox.models import Transition


def record(held: Held, steps: Sequence[Transition]) -> None:
    """Gives each step its number under the session's locked clock. The steps carry the house's mark already."""
    clocks.append(held, [(Kind.DISPOSITION, step.id) for step in steps])
    count(steps)


def count(steps: Sequence[Transition]) -> None:
    """Counts steps once they are committed."""

    def run() -> None:
        for step in steps:
            metrics.dispositions.labels(step.after).inc()

    transaction.on_commit(run, robust=True)
