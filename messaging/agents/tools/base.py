"""What a tool is, and how it says that nothing came of a call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from messaging.agents.context import Offer
from messaging.mailbox.models import Seat


class Failed(Exception):
    """Nothing came of it. `reason` is a code of `domain.reason`; `str()` of it is for the model."""

    def __init__(self, reason: str, words: str) -> None:
        super().__init__(words)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Result:
    """What a call gives back. `rows`: the deliveries and utterances whose texts stand in it."""

    text: str
    rows: Sequence[UUID] = ()


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool. `run` may raise Failed; of one that the house settles it is None.

    `acts`: it does something that a second try would do twice.
    """

    offer: Offer
    run: Callable[[Seat, Mapping[str, Any]], Result] | None
    acts: bool = False


def text_of(arguments: Mapping[str, Any], name: str, most: int) -> str:
    """An argument that is a text, not empty and of at most so many characters. Raises Failed."""
    value = arguments.get(name)
    if not isinstance(value, str) or not value.strip() or len(value) > most:
        raise Failed("bad_arguments", f"{name} is a text of 1 to {most} characters.")
    return value
