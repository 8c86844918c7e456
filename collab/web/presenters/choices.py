"""The composer's choices: who may be spoken to here, and who would hear it."""

from __future__ import annotations

from collections.abc import Sequence

from collab.web.presenters.audience import Tone
from collab.web.presenters.choice import Choice, of_ways
from collab.web.presenters.company import Company, overheard, presence, seen_by
from collab.web.presenters.named import to_agent, to_people, to_several, value_of
from collab.web.presenters.ways import Way, ways
from messaging.domain.capability import Capability
from messaging.domain.dispatch import Mode
from messaging.domain.wording import counted, listed
from messaging.roster.access import MemberView


def choices(company: Company, wish: str = "") -> list[Choice]:
    """Every audience this member may speak to, people first; and the several that a reply or a draft wishes for."""
    found: list[Choice] = []
    if Capability.POST_HUMAN in company.may:
        found.append(_people_only(company))
    asked = [agent for agent in company.agents if agent.active and _takes_questions(company)]
    found += [_ask(company, agent) for agent in asked]
    for agent in company.agents:
        found += to_agent(company, agent) if agent not in asked else []
    if company.agents and {Capability.POST_HUMAN, Capability.POST_AGENT} <= company.may:
        found.append(_everyone(company))
    if Capability.DIRECT_MESSAGE in company.may:
        found += [to_people([person]) for person in company.others]
    return [*found, *to_several(company, found, wish)]


def first(company: Company, offered: Sequence[Choice]) -> Choice | None:
    """Where the composer begins: people only where others are, the agent where a person is alone with it."""
    people = next((c for c in offered if c.value == "participants"), None)
    agent = next((c for c in offered if c.value == "active_agent"), None)
    if company.others or agent is None:
        return people or next(iter(offered), None)
    return agent


def _takes_questions(company: Company) -> bool:
    return Capability.POST_AGENT in company.may and company.active_takes


def _people_only(company: Company) -> Choice:
    hears = (
        f"{_people(company)} No agent does." if company.others else "Nobody hears this: you are the only person here."
    )
    return Choice("participants", "ear-struck", Tone.PEOPLE, "People only", "People only", "Send to people only", hears)


def _ask(company: Company, agent: MemberView) -> Choice:
    """The active agent is asked without a mode, and by name in those alone that are something else."""
    hears = " ".join([presence(agent), *seen_by(company), *overheard(company, agent)])
    ask = f"Ask {agent.name}"
    plain = Way("active_agent", "", "ear-open", ask, f"To {agent.name}, everyone here sees it", ask, hears)
    more = [one for one in ways(company, agent, value_of(agent)) if one.dispatch != Mode.FUTURE_TURN]
    return of_ways("active_agent", ask, (plain, *more), agent.handle)


def _everyone(company: Company) -> Choice:
    people = [counted(len(company.others), "other person", "other people")] if company.others else []
    heads = [*people, *(agent.name for agent in company.agents)]
    away = [presence(agent) for agent in company.agents if agent.present is False]
    hears = " ".join([f"{listed(heads, at_most=6)} {'hears' if len(heads) == 1 else 'hear'} this.", *away])
    return Choice(
        "everyone",
        "ear-ring",
        Tone.AGENT,
        "People and agents",
        "To people and agents, no answer expected",
        "Tell people and agents",
        hears,
    )


def _people(company: Company) -> str:
    others = listed([person.name for person in company.others])
    if len(company.others) == 1:
        return f"{others} hears this."
    return f"{len(company.others)} others hear this: {others}."
