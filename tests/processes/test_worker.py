"""The fleet's worker ends when it is told to, and at no other time."""

from __future__ import annotations

from celery import signals
from celery.worker import state

from collab.processes import worker


def test_a_worker_that_ends_by_itself_begins_again_until_a_signal_ends_it(monkeypatch):
    began, stops = [], []

    class Ending:
        """Ends at once, as Celery's does after a fault that it cannot mend; the third time it is told to."""

        def __init__(self, **options):
            assert state.should_stop is None

        def start(self):
            began.append(1)
            state.should_stop = 1
            if len(began) == 3:
                signals.worker_shutting_down.send(sender="test", sig="SIGTERM", how="Warm", exitcode=0)

    monkeypatch.setattr(worker.app, "Worker", Ending)
    monkeypatch.setattr(worker, "PAUSE", 0.01)
    try:
        worker.run(lambda: stops.append(1))
    finally:
        state.should_stop = None
    assert len(began) == 3
    assert stops == [1]
