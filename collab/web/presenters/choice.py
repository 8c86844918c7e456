"""One choice of the composer."""

from __future__ import annotations

from dataclasses import dataclass, replace

from collab.web.presenters.audience import Tone
from collab.web.presenters.ways import Way
from messaging.domain.dispatch import Mode

#: Between the names in the value of a choice that names several; no handle holds it.
AND = ","


@dataclass(frozen=True, slots=True)
class Choice:
    """One radio button of the composer, with the words it puts on the button and beside it.

    `value` is the audience as the contract writes it; a list is joined by `AND`, for a form has no lists. Where its
    agent may be asked in several `ways`, `way` is the value of the one that it stands on; otherwise there are none.
    `agent` is the handle of the one that alone is asked.
    """

    value: str
    icon: str
    tone: Tone
    label: str
    words: str
    send: str
    hears: str
    dispatch: str = ""
    ways: tuple[Way, ...] = ()
    way: str = ""
    agent: str = ""

    @property
    def to_agent(self) -> bool:
        """Whether an agent hears it; after such a send the composer falls back to people."""
        return self.value.startswith(("active_agent", "agent:", "everyone"))

    @property
    def takes_more(self) -> bool:
        """Whether it is open to what is said already, and to several at once: only a session of its own is not."""
        return self.dispatch in ("", Mode.FUTURE_TURN)

    @property
    def posted(self) -> str:
        """What a form says of how the agent is called, where no way is to be chosen."""
        return f"{self.value} {self.dispatch}" if self.dispatch and not self.ways else ""

    def standing(self, way: str) -> Choice:
        """The same, on this way; unchanged where it is none of its own."""
        return replace(self, way=way) if way in {one.value for one in self.ways} else self


def of_ways(value: str, label: str, ways: tuple[Way, ...], agent: str = "") -> Choice:
    """A choice of an agent that may be asked in these ways, of which it begins with the first."""
    first = ways[0]
    several = ways if len(ways) > 1 else ()
    return Choice(
        value,
        first.icon,
        Tone.AGENT,
        label,
        first.words,
        first.send,
        first.hears,
        dispatch=first.dispatch,
        ways=several,
        way=first.value if several else "",
        agent=agent,
    )


def dispatch_of(value: str) -> str:
    """How a choice's value asks its agents: by name they take a turn of their own, later. Nothing for any other."""
    return str(Mode.FUTURE_TURN) if value.startswith("agent:") else ""


def spoken(value: str) -> str | list[str]:
    """The audience that a choice's value stands for."""
    return value.split(AND) if AND in value else value
