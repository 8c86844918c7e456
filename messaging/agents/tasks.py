"""The one task of the agents' queue."""

from __future__ import annotations

from uuid import UUID

from messaging.agents import fleet
from messaging.agents.celery import app
from messaging.mailbox import wake


@app.task(name=wake.TASK)
def work(seat: str) -> None:
    """Works off a seat that may have cleared input."""
    fleet.service().work(UUID(seat))
