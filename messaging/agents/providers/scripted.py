"""A provider that follows the script in its seat's settings: for tests, where no model can be relied on.

`{"script": [[deed, ...], ...]}`: a list of deeds for each attempt, the last for all that follow. A deed is
`{"say": "text"}`, `{"pause": seconds}`, `{"call": "tool", "with": {...}}` or `{"fail": "reason", "wait": seconds}`.
In the place of an attempt's deeds may stand lists of them, `[[deed, ...], ...]`, one for each of its model steps, the
last for all that follow.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from messaging.agents.context import Request
from messaging.agents.providers.base import ProviderError, Repeats, silence
from messaging.domain.call import Call

#: Bytes; what a model of ordinary size might take.
BUDGET = 96 * 1024


class Scripted(Repeats):
    """Says, pauses and fails as it is told."""

    def budget(self, _: Mapping[str, Any]) -> int:
        """It looks at nothing that it is given."""
        return BUDGET

    def stream(self, request: Request) -> Iterator[str | Call]:
        """The deeds of this step of this attempt."""
        for n, deed in enumerate(_deeds(request), 1):
            yield from _play(deed, f"call-{request.step}-{n}")


def _deeds(request: Request) -> list[Mapping[str, Any]]:
    script = request.settings.get("script")
    if not isinstance(script, list) or not script or not all(isinstance(deeds, list) for deeds in script):
        raise ProviderError("bad_settings")
    deeds: list[Any] = script[min(request.attempt, len(script)) - 1]
    if deeds and all(isinstance(one, list) for one in deeds):
        deeds = deeds[min(request.step, len(deeds)) - 1]
    if not all(isinstance(one, Mapping) for one in deeds):
        raise ProviderError("bad_settings")
    return deeds


def _play(deed: Mapping[str, Any], call_id: str) -> Iterator[str | Call]:
    if "say" in deed:
        yield str(deed["say"])
    elif "call" in deed:
        yield Call(call_id, str(deed["call"]), deed.get("with", {}))
    elif "pause" in deed:
        yield from silence(float(deed["pause"]))
    else:
        raise ProviderError(str(deed.get("fail", "bad_settings")), deed.get("wait"))
