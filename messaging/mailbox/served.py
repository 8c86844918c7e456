"""Which placements of the fleet are served now: whoever knows it says how to ask, at the start of a process.

Where nobody does (one process serves all), or whoever would know does not answer, nothing is taken for unserved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

#: The placements that are served, "" among them where seats without one are; None where that cannot be told.
#: It is asked under locks: it answers at once.
Look: TypeAlias = Callable[[], frozenset[str] | None]


def _nobody_knows() -> frozenset[str] | None:
    return None


_look: Look = _nobody_knows


def install(look: Look | None) -> None:
    """Sets how this process looks; None: not at all."""
    global _look
    _look = look or _nobody_knows


def placements() -> frozenset[str] | None:
    """Those that are served, or None where nobody can tell."""
    return _look()


def may_be(placement: str) -> bool:
    """Whether a seat of this placement may be served. One that has none waits for whoever comes, as it always did."""
    found = placements() if placement else None
    return found is None or placement in found
