"""Who is in a session, from the place of one member, and whether each agent is there to hear."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from messaging.domain.capability import Capability, Role, reaches_others
from messaging.domain.wording import counted, listed
from messaging.roster.access import MemberView


@dataclass(frozen=True, slots=True)
class Company:
    """Who is in the session, from the place of one member."""

    me: str
    members: Sequence[MemberView]
    may: AbstractSet[Capability]
    #: Whether a hosted agent's answers go to every agent here, not to the people alone.
    answers_to_agents: bool = False
    #: The modes in which each agent, by handle, may be called by name by this member.
    modes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    #: Whether the active agent takes what is said to it here.
    active_takes: bool = True

    @property
    def role(self) -> str:
        """The viewer's own."""
        return next((m.role for m in self.members if m.kind == "human" and m.handle == self.me), "")

    @property
    def reaches(self) -> bool:
        """Whether what the viewer may do to messages reaches what others said."""
        return bool(self.role) and reaches_others(Role(self.role))

    @property
    def others(self) -> list[MemberView]:
        """The people but the viewer."""
        return [m for m in self.members if m.kind == "human" and m.handle != self.me]

    @property
    def agents(self) -> list[MemberView]:
        """The agents that have a seat here."""
        return [m for m in self.members if m.kind == "agent"]


def presence(agent: MemberView) -> str:
    """Whether an agent is there to hear, said before anything is sent."""
    return away(agent) or f"{agent.name} is here and hears this."


def away(agent: MemberView) -> str:
    """That an agent is not there yet to hear; empty where it is."""
    return f"{agent.name} is away, it gets this when it is back." if agent.present is False else ""


def seen_by(company: Company) -> list[str]:
    """How many people see what is said to an agent; no sentence where nobody else is there."""
    if not company.others:
        return []
    return [f"{counted(len(company.others), 'other person sees', 'other people see')} it."]


def overheard(company: Company, agent: MemberView, answer: str = "the answer") -> list[str]:
    """Which other agents are told what this one answers, with words for it; an agent of elsewhere chooses itself whom
    it answers."""
    others = [other.name for other in company.agents if other.handle != agent.handle]
    if not others or not company.answers_to_agents or agent.agent_kind != "hosted":
        return []
    return [f"{listed(others)} {'gets' if len(others) == 1 else 'get'} {answer}, too."]
