"""A provider that follows the script in its seat's settings: for tests, where no model can be relied on.

`{"script": [[step, ...], ...]}`: a list of steps for each attempt, the last for all that follow. A step is
`{"say": "text"}`, `{"pause": seconds}` or `{"fail": "reason", "wait": seconds}`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from messaging.agents.context import Request
from messaging.agents.providers.base import ProviderError, silence


class Scripted:
    """Says, pauses and fails as it is told."""

    def stream(self, request: Request) -> Iterator[str]:
        """The steps of this attempt."""
        for step in _steps(request):
            yield from _play(step)


def _steps(request: Request) -> list[Mapping[str, Any]]:
    script = request.settings.get("script")
    if not isinstance(script, list) or not script or not all(isinstance(steps, list) for steps in script):
        raise ProviderError("bad_settings")
    steps: list[Mapping[str, Any]] = script[min(request.attempt, len(script)) - 1]
    return steps


def _play(step: Mapping[str, Any]) -> Iterator[str]:
    if "say" in step:
        yield str(step["say"])
    elif "pause" in step:
        yield from silence(float(step["pause"]))
    else:
        raise ProviderError(str(step.get("fail", "bad_settings")), step.get("wait"))
