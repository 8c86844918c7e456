"""The mirror: answers with exactly what its request holds, so that people see what reaches an agent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from messaging.agents.context import Heard, Line, Request, Said, fit
from messaging.agents.providers.base import ProviderError, Repeats, silence
from messaging.domain.provider import LONGEST_PAUSE
from messaging.domain.text import MAX_TEXT_BYTES

WORDS = "I repeat what reached me; I am no model."
#: Bytes of what it repeats; the rest of what any text may hold is left for its own words.
BUDGET = 48 * 1024
_OWN_WORDS = 1024


class Mirror(Repeats):
    """Repeats each delivery with its author's name, and its own earlier answers by id alone: as a link, which on
    the page leads to them and leaves the id out of people's sight. Steered, it repeats again what it has now, as far
    as one answer holds it.

    `pause` in its settings has it fall silent for that many seconds after its first words, as a slow model does.
    """

    def budget(self, _: Mapping[str, Any]) -> int:
        """As much as one answer holds."""
        return BUDGET

    def stream(self, request: Request) -> Iterator[str]:
        """A piece for each line of the request."""
        lines, left_out = fit(request, lambda line: len(_line(line).encode()), _budget(request))
        pause = _pause(request.settings.get("pause", 0))
        yield WORDS
        yield from silence(pause)
        if left_out:
            yield f"\n\n({left_out} earlier left out)"
        for line in lines:
            yield _line(line)


def _budget(request: Request) -> int:
    """What is left once the steps before this one are in the same answer."""
    steps = [line.text for line in request.lines if isinstance(line, Said) and line.step]
    return min(BUDGET, MAX_TEXT_BYTES - sum(len(text.encode()) + _OWN_WORDS for text in steps) - _OWN_WORDS)


def _line(line: Line) -> str:
    if isinstance(line, Heard):
        return f"\n\n{line.author_name}: {line.text}"
    return "" if not isinstance(line, Said) or line.step else f"\n\n([my earlier answer](#m-{line.id}))"


def _pause(wanted: object) -> float:
    if isinstance(wanted, bool) or not isinstance(wanted, int | float) or not 0 <= wanted <= LONGEST_PAUSE:
        raise ProviderError("bad_settings")
    return float(wanted)
