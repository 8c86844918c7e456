"""Keeps in mind which placements are served: whoever posts asks under locks, and must not wait for Redis there."""

from __future__ import annotations

import logging
import threading

from collab.processes.presence import Household
from messaging.roster.models import Agent

log = logging.getLogger(__name__)
EVERY_SECONDS = 2.0


def wanted() -> dict[str, list[str]]:
    """The placements of hosted agents in use, "" among them, each with the handles of its agents."""
    rows = Agent.objects.filter(kind=Agent.Kind.HOSTED, enabled=True).order_by("handle__spelled")
    found: dict[str, list[str]] = {}
    for placement, handle in rows.values_list("placement", "handle__spelled"):
        found.setdefault(placement, []).append(handle)
    return found


class Placing:
    """Looks again and again from a thread of its own. What it knows is a few seconds old; at first it knows nothing."""

    def __init__(self, household: Household, every: float = EVERY_SECONDS) -> None:
        self._household = household
        self._every = every
        self._known: frozenset[str] | None = None
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="placements", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def stop(self) -> None:
        """End. The thread holds nothing, so nobody waits for it."""
        self._stopping.set()

    def placements(self) -> frozenset[str] | None:
        """The placements that are served, as of the last look: a `served.Look`."""
        return self._known

    def _run(self) -> None:
        while not self._stopping.is_set():
            try:
                self._known = self._household.placements()
            except Exception:
                # What lies there is anybody's to write; whatever it does, nothing is refused for it.
                log.exception("Which placements are served could not be looked up")
                self._known = None
            self._stopping.wait(self._every)
