"""Small pieces of sentences."""

from __future__ import annotations

from collections.abc import Sequence


def listed(names: Sequence[str], *, at_most: int = 4) -> str:
    """`Mo, Sam and Vic`, or `Mo, Sam, Vic and 9 more`."""
    if len(names) > at_most:
        return f"{', '.join(names[: at_most - 1])} and {len(names) - at_most + 1} more"
    if len(names) < 2:  # noqa: PLR2004 - a list of one has no "and"
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def with_you(names: Sequence[str]) -> str:
    """`Sam, Mo and you`, or `Mo, Sam, 9 more and you`: the reader is never among those who are only counted."""
    if len(names) > 3:  # noqa: PLR2004 - with "you" a list holds four
        return f"{', '.join(names[:2])}, {len(names) - 2} more and you"
    return listed([*names, "you"])


def counted(number: int, one: str, many: str) -> str:
    """`1 person`, `3 people`."""
    return f"{number} {one if number == 1 else many}"
