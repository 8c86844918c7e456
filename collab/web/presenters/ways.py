"""The ways in which an agent is called by name, in words; each mode is a line of one table."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from collab.web.presenters.company import Company, away, overheard, seen_by
from messaging.domain.dispatch import WITHIN, Mode
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
    """Its sign, and words in which `{agent}` and `{active}` stand for names; `hears` tells who hears it.

    `asks`: the words where the active agent itself calls the other one, and its own name stands beside them already.
    """

    icon: str
    label: str
    words: str
    send: str
    hears: Callable[[Company, Sequence[MemberView]], list[str]]
    asks: str = ""


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


def _through_the_active(company: Company, agents: Sequence[MemberView], without: str = "") -> list[str]:
    """The active agent is given it and puts it to the other one; what both say stands here."""
    asker = _active(company)
    if asker is None:
        return []
    heard = f"{asker.name} hears this and puts it to {_names(agents)}, which gets the question alone{without}."
    many = counted(len(company.others), "other person sees", "other people see")
    seen = [f"{many} it and what both say."] if company.others else []
    return [
        *(away(agent) for agent in (asker, *agents)),
        heard,
        *seen,
        *overheard(company, asker, f"what {asker.name} answers"),
    ]


def _for_advice(company: Company, agents: Sequence[MemberView]) -> list[str]:
    return _through_the_active(company, agents, ", without its memory")


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
        Mode.CONSULT: _Mode(
            "ears-two",
            "{active} asks {agent}",
            "{active} asks {agent}",
            "Have {active} ask {agent}",
            _through_the_active,
            "Asks {agent}",
        ),
        Mode.ADVISOR: _Mode(
            "ear-small",
            "Quick advice",
            "Quick advice to {active} by {agent}",
            "Get {active} quick advice",
            _for_advice,
            "Asks {agent} for quick advice",
        ),
    }
)


def way(company: Company, agents: Sequence[MemberView], mode: str, audience: str) -> Way:
    """These agents called in a mode that has a line in the table."""
    found = _MODES[mode]
    active = _active(company)
    asker = active.name if active else ""
    label, words, send = (_filled(one, _names(agents), asker) for one in (found.label, found.words, found.send))
    hears = " ".join(filter(None, found.hears(company, agents)))
    return Way(audience, mode, found.icon, label, words, send, hears)


def ways(company: Company, agent: MemberView, audience: str) -> list[Way]:
    """The ways that the agent's policy permits this member, as `Company.modes` has them. Where the active agent is to
    ask, it has to be one that takes questions here itself."""
    permitted = company.modes.get(agent.handle, ())
    asks = company.active_takes and _active(company) is not None
    return [
        way(company, [agent], mode, audience) for mode in _MODES if mode in permitted and (asks or mode not in WITHIN)
    ]


def on_message(mode: str, agents: str, active: str = "the agent") -> tuple[str, str]:
    """The sign and the words on a message that calls agents in this mode; those of a future turn where it says none.

    active: who asks them, where the mode has the active agent ask.
    """
    found = _MODES.get(mode) or _MODES[Mode.FUTURE_TURN]
    return found.icon, _filled(found.words, agents, active)


def on_agents_message(mode: str, agents: str, *, is_answer: bool) -> tuple[str, str]:
    """The same for what two agents say to each other within a turn: what the one asks, and what it is answered."""
    found = _MODES[mode]
    return found.icon, _filled(_MODES[Mode.FUTURE_TURN].words if is_answer else found.asks, agents, "")


def _filled(words: str, agents: str, active: str) -> str:
    # Put in once over: a name may hold braces, even those of the other's place.
    names = {"agent": agents, "active": active}
    return re.sub(r"\{(agent|active)\}", lambda place: names[place[1]], words)


def _names(agents: Sequence[MemberView]) -> str:
    return listed([agent.name for agent in agents])


def _active(company: Company) -> MemberView | None:
    return next((agent for agent in company.agents if agent.active), None)
