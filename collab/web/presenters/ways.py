"""The ways in which an agent is called by name, in words; each mode is a line of one table."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from collab.web.presenters.company import Company, away, overheard, seen_by
from messaging.domain.dispatch import Mode
from messaging.domain.wording import counted, listed
from messaging.roster.access import MemberView


@dataclass(frozen=True, slots=True)
class Way:
    """One way to ask whom a choice names: what is posted, and its words on the button and beside it."""

    audience: str
    dispatch: str
    icon: str
    label: str
    words: str
    send: str
    hears: str

    @property
    def value(self) -> str:
        """How a form says it; `meant` reads it."""
        return f"{self.audience} {self.dispatch}".rstrip()


def meant(value: str) -> tuple[str, str]:
    """The audience and the mode that a way's value stands for."""
    audience, _, dispatch = value.partition(" ")
    return audience, dispatch


@dataclass(frozen=True, slots=True)
class _Mode:
    """Its sign, and words in which `{agent}` and `{active}` stand for names; `hears` tells who hears it."""

    icon: str
    label: str
    words: str
    send: str
    hears: Callable[[Company, Sequence[MemberView]], list[str]]


def _in_a_turn(company: Company, agents: Sequence[MemberView]) -> list[str]:
    alone = f"Only {_names(agents)} {'hears' if len(agents) == 1 else 'hear'} this."
    answers = [line for agent in agents for line in overheard(company, agent)] if len(agents) == 1 else []
    here = [f"{agent.name} is here." for agent in agents if agent.present]
    return [*(away(agent) for agent in agents), alone, *here, *seen_by(company), *answers]


def _in_a_session(company: Company, agents: Sequence[MemberView]) -> list[str]:
    """Whoever is here reads the message that opens it, and nothing that is said there."""
    names = _names(agents)
    alone = f"{names} and you alone are in it, and {names} hears nothing of this session but this message."
    many = counted(len(company.others), "other person sees", "other people see")
    seen = [f"{many} the message, and not what is said there."] if company.others else []
    return [*(away(agent) for agent in agents), alone, *seen]


#: In the order in which they are offered. A mode without a line is not offered.
_MODES: Mapping[str, _Mode] = MappingProxyType(
    {
        Mode.FUTURE_TURN: _Mode("ear-open", "Ask {agent}", "To {agent}", "Ask {agent}", _in_a_turn),
        Mode.CHILD_SESSION: _Mode(
            "ear-branch",
            "Side session",
            "Side session with {agent}",
            "Open a side session with {agent}",
            _in_a_session,
        ),
    }
)


def way(company: Company, agents: Sequence[MemberView], mode: str, audience: str) -> Way:
    """These agents called in a mode that has a line in the table."""
    found = _MODES[mode]
    active = next((agent.name for agent in company.agents if agent.active), "")
    label, words, send = (_filled(one, _names(agents), active) for one in (found.label, found.words, found.send))
    hears = " ".join(filter(None, found.hears(company, agents)))
    return Way(audience, mode, found.icon, label, words, send, hears)


def ways(company: Company, agent: MemberView, audience: str) -> list[Way]:
    """The ways that the agent's policy permits this member, as `Company.modes` has them."""
    permitted = company.modes.get(agent.handle, ())
    return [way(company, [agent], mode, audience) for mode in _MODES if mode in permitted]


def on_message(mode: str, agents: str) -> tuple[str, str]:
    """The sign and the words on a message that calls agents in this mode; those of a future turn where it says none."""
    found = _MODES.get(mode) or _MODES[Mode.FUTURE_TURN]
    return found.icon, _filled(found.words, agents, "the agent")


def _filled(words: str, agents: str, active: str) -> str:
    # Put in once over: a name may hold braces, even those of the other's place.
    names = {"agent": agents, "active": active}
    return re.sub(r"\{(agent|active)\}", lambda place: names[place[1]], words)


def _names(agents: Sequence[MemberView]) -> str:
    return listed([agent.name for agent in agents])
