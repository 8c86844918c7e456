from __future__ import annotations

from typing import Any

import pytest
from celery.beat import Scheduler
from celery.schedules import schedule

from collab.celery import app
from collab.processes.beat import SharedScheduler


class Claims:
    """Redis's `SET NX`, as two beats see it."""

    def __init__(self) -> None:
        self.held: dict[str, int] = {}

    def set(self, key: str, _: str, nx: bool, px: int) -> bool | None:
        assert nx
        if key in self.held:
            return None
        self.held[key] = px
        return True


def beats(monkeypatch: pytest.MonkeyPatch, claims: Claims | None) -> tuple[list[str], SharedScheduler, SharedScheduler]:
    sent: list[str] = []
    monkeypatch.setattr(Scheduler, "apply_async", lambda _self, entry, *_, **__: sent.append(entry.name))
    kind: Any = type("Bound", (SharedScheduler,), {"redis": claims})
    return sent, kind(app, lazy=True), kind(app, lazy=True)


def entry(scheduler: SharedScheduler) -> Any:
    return scheduler.Entry(name="sweep", task="messaging.actions.tasks.sweep", schedule=schedule(5.0), app=app)


def test_the_first_of_two_beats_sends(monkeypatch: pytest.MonkeyPatch):
    claims = Claims()
    sent, one, other = beats(monkeypatch, claims)
    one.apply_async(entry(one))
    other.apply_async(entry(other))
    assert sent == ["sweep"]
    # The claim is gone before the next tick is due.
    assert claims.held == {"earshot:beat:sweep": 4500}


def test_the_next_tick_is_anybody_s(monkeypatch: pytest.MonkeyPatch):
    claims = Claims()
    sent, one, other = beats(monkeypatch, claims)
    one.apply_async(entry(one))
    claims.held.clear()
    other.apply_async(entry(other))
    assert sent == ["sweep", "sweep"]


def test_a_lone_beat_asks_nobody(monkeypatch: pytest.MonkeyPatch):
    sent, one, _ = beats(monkeypatch, None)
    one.apply_async(entry(one))
    assert sent == ["sweep"]


def test_the_sweep_exists():
    app.loader.import_default_modules()
    assert {entry["task"] for entry in app.conf.beat_schedule.values()} <= set(app.tasks)
