"""What models are told of a source that could not be used."""

from __future__ import annotations

from messaging.agents.tools.base import Failed
from messaging.domain import reason


def failed(code: str, source: str) -> Failed:
    """A failure by its code of `reason.SOURCE`."""
    return Failed(code, f"The source {source} {reason.words(code)}.")
