"""How far sessions have come: number and epoch, for those who keep up with them."""

from __future__ import annotations

from collections.abc import Collection
from uuid import UUID

from messaging.journal.models import Clock


def positions(sessions: Collection[UUID]) -> dict[UUID, tuple[int, int]]:
    """Number and epoch of each session, in one query."""
    rows = Clock.objects.filter(session__in=sessions).values_list("session", "seq", "epoch") if sessions else []
    return {session: (seq, epoch) for session, seq, epoch in rows}
