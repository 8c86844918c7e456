"""Celery's doors to the actions. Payloads are ids; each task is a wake-up for rows."""

from __future__ import annotations

from uuid import UUID

from celery import shared_task

from messaging.actions import collect as collecting
from messaging.actions import sweep as sweeping


@shared_task(ignore_result=True)
def collect(session: str) -> None:
    """Collects what the agents of a session did."""
    collecting.collect(UUID(session))


@shared_task(ignore_result=True)
def sweep() -> None:
    """Finds every row whose wake-up got lost."""
    sweeping.sweep()
