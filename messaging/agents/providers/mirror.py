"""The mirror: answers with exactly what its request holds, so that people see what reaches an agent."""

from __future__ import annotations

from collections.abc import Iterator

from messaging.agents.context import Heard, Line, Request, fit

WORDS = "I repeat what reached me; I am no model."
#: Bytes of what it repeats; the rest of what any text may hold is left for its own words.
BUDGET = 48 * 1024


class Mirror:
    """Repeats each delivery with its author's name, and its own earlier answers by id alone."""

    def stream(self, request: Request) -> Iterator[str]:
        """A piece for each line of the request."""
        lines, left_out = fit(request, lambda line: len(_line(line).encode()), BUDGET)
        yield WORDS
        if left_out:
            yield f"\n\n({left_out} earlier left out)"
        for line in lines:
            yield _line(line)


def _line(line: Line) -> str:
    if isinstance(line, Heard):
        return f"\n\n{line.author_name}: {line.text}"
    return f"\n\n(my answer {line.id})"
