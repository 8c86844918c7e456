"""What a runner looks at while it waits for others: whether its turn is still its own."""

from __future__ import annotations

import time
from collections.abc import Callable

from messaging.mailbox import lease
from messaging.mailbox.lease import Claim

#: Seconds of silence after which the runner looks whether its turn was stopped or taken.
LOOK_EVERY = 1.0


class Interrupted(Exception):
    """The process is about to end."""


class Watch:
    """Keeps a living attempt's lease, and notices within a second when the turn is gone.

    stopping: whether the process is about to end.
    """

    def __init__(self, claim: Claim, stopping: Callable[[], bool], clock: Callable[[], float] = time.monotonic) -> None:
        self._claim = claim
        self._stopping = stopping
        self._clock = clock
        self._looked = self._renewed = clock()

    def look(self) -> None:
        """Raises LeaseLost where the turn was stopped or taken, Interrupted where the process is about to end."""
        if self._stopping():
            raise Interrupted
        now = self._clock()
        if now - self._renewed >= lease.RENEW_AFTER.total_seconds():
            lease.renew(self._claim)
            self._looked = self._renewed = now
        elif now - self._looked >= LOOK_EVERY:
            lease.check(self._claim)
            self._looked = now
