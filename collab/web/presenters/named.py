"""Choices that name their hearers: one or several people alone, one or several agents."""

from __future__ import annotations

from collections.abc import Sequence

from collab.web.presenters.audience import Tone
from collab.web.presenters.choice import AND, Choice, of_ways
from collab.web.presenters.company import Company
from collab.web.presenters.ways import way, ways
from messaging.domain.dispatch import Mode
from messaging.domain.wording import listed, with_you
from messaging.roster.access import MemberView

#: Nobody can open what is between people for moderation; its author alone may let others hear it.
ALONE = "No agent hears it, and nobody else reads it here: moderators neither."


def value_of(member: MemberView) -> str:
    """The audience that names this member."""
    return f"{'agent' if member.kind == 'agent' else 'participant'}:{member.handle}"


def to_agent(company: Company, agent: MemberView) -> list[Choice]:
    """An agent by name, in the ways in which the member may call it; none where there is no such way."""
    found = ways(company, agent, value_of(agent))
    return [of_ways(value_of(agent), found[0].words, tuple(found), agent.handle)] if found else []


def to_agents(company: Company, agents: Sequence[MemberView]) -> Choice:
    """Agents by name, each for a turn of its own."""
    value = AND.join(map(value_of, agents))
    found = way(company, agents, Mode.FUTURE_TURN, value)
    return of_ways(value, found.words, (found,))


def to_people(people: Sequence[MemberView]) -> Choice:
    """People by name, and nobody else."""
    names = _names(people)
    return Choice(
        AND.join(map(value_of, people)),
        "two-heads",
        Tone.DIRECT,
        names,
        f"Only {with_you([person.name for person in people])}",
        f"Send to {names} alone",
        ALONE,
    )


def to_several(company: Company, offered: Sequence[Choice], wish: str) -> list[Choice]:
    """The choice that a wish for several stands for, if each of them is offered alone; otherwise none."""
    wanted = set(wish.split(AND))
    members = [member for member in company.members if value_of(member) in wanted]
    if len(wanted) < 2 or not wanted <= {choice.value for choice in offered if choice.takes_more}:  # noqa: PLR2004 - several
        return []
    kinds = {member.kind for member in members}
    if kinds == {"human"}:
        return [to_people(members)]
    return [to_agents(company, members)] if kinds == {"agent"} else []


def _names(members: Sequence[MemberView]) -> str:
    return listed([member.name for member in members])
