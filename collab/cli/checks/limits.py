"""Limits of EARSHOT_CONFIG that count nothing yet: whoever set one would think that it holds."""

from __future__ import annotations

from collab.cli.checks.line import Line, ok
from collab.environment import Environment


def limits(found: Environment) -> list[Line]:
    """A line where the file sets such a limit, else nothing."""
    idle = found.configuration.uncounted
    if not idle:
        return []
    return [ok("limits", f"{', '.join(idle)}: taken, but nothing is counted by them; chat apps are not built yet")]
