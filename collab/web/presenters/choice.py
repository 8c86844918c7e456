"""One choice of the composer."""

from __future__ import annotations

from dataclasses import dataclass

from collab.web.presenters.audience import Tone

#: Between the names in the value of a choice that names several; no handle holds it.
AND = ","


@dataclass(frozen=True, slots=True)
class Choice:
    """One radio button of the composer, with the words it puts on the button and beside it.

    `value` is the audience as the contract writes it; a list is joined by `AND`, for a form has no lists.
    """

    value: str
    icon: str
    tone: Tone
    label: str
    words: str
    send: str
    hears: str
    dispatch: str = ""

    @property
    def to_agent(self) -> bool:
        """Whether an agent hears it; after such a send the composer falls back to people."""
        return self.value.startswith(("active_agent", "agent:", "everyone"))


def dispatch_of(value: str) -> str:
    """How a choice's value asks its agents: by name they take a turn of their own, later. Nothing for any other."""
    return "future_turn" if value.startswith("agent:") else ""


def spoken(value: str) -> str | list[str]:
    """The audience that a choice's value stands for."""
    return value.split(AND) if AND in value else value
