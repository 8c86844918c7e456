"""How long to wait before another try. Pure: the time is passed in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Backoff:
    """Doubles the pause after each failure and forgets failures after a quiet while."""

    first: float = 0.2
    longest: float = 30.0
    quiet: float = 60.0
    _pause: float = 0.0
    _last: float = float("-inf")

    def failed(self, now: float) -> float:
        """Note a failure and return the pause before the next try."""
        fresh = now - self._last > self.quiet
        self._pause = self.first if fresh else min(self._pause * 2, self.longest)
        self._last = now
        return self._pause
