"""A past that is summed up over the wire by the agents' own process, killed while it does so."""

from __future__ import annotations

import os
import signal

import pytest

from messaging.mailbox.models import Attempt, Summary, Utterance
from tests.agents.conftest import Agents, until
from tests.mailbox import cast
from tests.mailbox.test_shown import long_past
from tests.models.plays import Say, Silence
from tests.models.server import ModelServer

pytestmark = pytest.mark.django_db(transaction=True)


def answers() -> list[str]:
    return list(Utterance.objects.filter(kind="answer", turn__isnull=False).values_list("text", flat=True))


def test_a_compaction_survives_a_kill_in_its_middle(agents):
    with ModelServer(Silence(60, begun=True)) as model:
        settings = {"model": "m", "base_url": model.openai_url, "context_bytes": 8192}
        seat = long_past(60, provider="openai", settings=settings)
        first: Agents = agents()
        cast.told(seat, "and now?")
        first.wake(seat.id)
        until(lambda: model.requests)
        assert "Sum it up" in model.requests[0].text
        os.kill(first.process.pid, signal.SIGKILL)
        first.process.wait()
        assert (Summary.objects.count(), answers()) == (0, [])

        model.then(Say(("they spoke of x",)), Say(("the answer",)))
        agents()
        assert until(answers) == ["the answer"]
        tries = list(Attempt.objects.order_by("n").values_list("state", "reason"))
        assert tries == [("failed", "interrupted"), ("finished", "")]
        kept = Summary.objects.get(text="they spoke of x")
        asked = model.requests[2].text
        assert f"[earshot summary of={kept.first}-{kept.last}]" in asked
        assert "they spoke of x" in asked
        assert f"{kept.last + 1} xxx" in asked
        assert f"{kept.last} xxx" not in asked
        assert len(asked.encode()) < 8192 * 1.3
        # What no request had room for any more is summed up once nobody waits.
        until(lambda: Summary.objects.filter(first=1, last=kept.first - 1).exists())
        assert Summary.objects.count() == 2
