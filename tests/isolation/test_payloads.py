"""What travels between processes is ids and numbers: lines to and from the agents, pokes, tasks."""

from __future__ import annotations

import json
from uuid import UUID

import pytest

from collab.celery import app
from messaging.actions.collect import collect
from messaging.actions.sweep import sweep
from messaging.journal import poke
from messaging.mailbox import wake
from messaging.mailbox.claim import claim
from messaging.mailbox.say import answer, piece
from tests.cast import Room

pytestmark = pytest.mark.django_db(transaction=True)
CANARY, CONTROL = "a canary between people", "a control for the agent"


@pytest.fixture
def travelling(monkeypatch):
    """Everything that leaves the process during the test, as bytes."""
    sent: list[bytes] = []
    monkeypatch.setattr(wake, "_transport", lambda line: sent.append(wake.encode(line)))
    monkeypatch.setattr(poke, "_transport", lambda one: sent.append(poke.encode(one)))
    return sent


def test_a_whole_conversation_sends_ids_and_no_text(travelling):
    room = Room.open()
    room.say("alex", CANARY)
    room.say("alex", CANARY, "participant:sam")
    room.say("alex", CONTROL, "active_agent")
    held = claim(room.seat("mirror").id)
    assert held is not None
    piece(held, 1, CONTROL)
    answer(held, CONTROL)
    collect(room.session.id)
    sweep()
    everything = b"".join(travelling).decode()
    assert str(room.session.id) in everything
    assert str(room.seat("mirror").id) in everything
    assert CANARY not in everything
    assert CONTROL not in everything
    for raw in travelling:
        for value in leaves(json.loads(raw)):
            assert value is None or isinstance(value, int) or value in ("", "wake", "collect", "piece") or UUID(value)


def leaves(value):
    """Every value that is no container, whatever it lies in."""
    if isinstance(value, dict | list):
        parts = value.values() if isinstance(value, dict) else value
        return [leaf for part in parts for leaf in leaves(part)]
    return [value]


def test_tasks_take_ids_alone():
    """Whoever adds a task that takes more must come by here."""
    import inspect

    from messaging.actions import tasks

    ours = {name: task for name, task in app.tasks.items() if name.startswith("messaging.")}
    assert {name.rsplit(".", 1)[1] for name in ours} == {"collect", "sweep"}
    for name in ours:
        taken = inspect.signature(getattr(tasks, name.rsplit(".", 1)[1]).run).parameters
        assert set(taken) <= {"session"}
