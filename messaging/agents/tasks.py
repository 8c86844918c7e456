"""The one task of the agents' queue."""

from __future__ import annotations

from uuid import UUID

from messaging.agents import fleet
from messaging.agents.celery import app


@app.task(name="agents.wake")
def wake(seat: str) -> None:
    """Works off a seat that may have cleared input."""
    fleet.service().work(UUID(seat))
