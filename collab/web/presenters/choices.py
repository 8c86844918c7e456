"""The composer's choices: who may be spoken to here, and who would hear it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from collab.web.presenters.audience import Tone
from collab.web.presenters.wording import counted, listed
from messaging.domain.capability import Capability
from messaging.roster.access import MemberView

MODERATED = "A moderator may open it for a stated reason, and you would be told."


@dataclass(frozen=True, slots=True)
class Choice:
    """One radio button of the composer, with the words it puts on the button and beside it."""

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


@dataclass(frozen=True, slots=True)
class Room:
    """Who is in the session, from the place of one member."""

    me: str
    members: Sequence[MemberView]
    may: AbstractSet[Capability]

    @property
    def others(self) -> list[MemberView]:
        """The people but the viewer."""
        return [m for m in self.members if m.kind == "human" and m.handle != self.me]

    @property
    def agents(self) -> list[MemberView]:
        """The agents that have a seat here."""
        return [m for m in self.members if m.kind == "agent"]


def choices(room: Room) -> list[Choice]:
    """Every audience this member may speak to, people first."""
    found: list[Choice] = []
    if Capability.POST_HUMAN in room.may:
        found.append(_people_only(room))
    if Capability.POST_AGENT in room.may:
        found += [_ask(room, agent) for agent in room.agents if agent.active]
    if Capability.DISPATCH_AGENT in room.may:
        found += [_dispatch(room, agent) for agent in room.agents if _takes_turns_by_name(agent)]
    if room.agents and {Capability.POST_HUMAN, Capability.POST_AGENT} <= room.may:
        found.append(_everyone(room))
    if Capability.DIRECT_MESSAGE in room.may:
        found += [_alone(person) for person in room.others]
    return found


def first(room: Room, offered: Sequence[Choice]) -> Choice | None:
    """Where the composer begins: people only where others are, the agent where a person is alone with it."""
    people = next((c for c in offered if c.value == "participants"), None)
    agent = next((c for c in offered if c.value == "active_agent"), None)
    if room.others or agent is None:
        return people or next(iter(offered), None)
    return agent


def presence(agent: MemberView) -> str:
    """Whether an agent is there to hear, said before anything is sent."""
    if agent.present is False:
        return f"{agent.name} is away, it gets this when it is back."
    return f"{agent.name} is here and hears this."


def _takes_turns_by_name(agent: MemberView) -> bool:
    return agent.agent_kind == "connected" and not agent.active


def _people_only(room: Room) -> Choice:
    hears = f"{_people(room)} No agent does." if room.others else "Nobody hears this: you are the only person here."
    return Choice("participants", "ear-struck", Tone.PEOPLE, "People only", "People only", "Send to people only", hears)


def _ask(room: Room, agent: MemberView) -> Choice:
    hears = " ".join([presence(agent), *_seen_by(room)])
    return Choice(
        "active_agent",
        "ear-open",
        Tone.AGENT,
        f"Ask {agent.name}",
        f"To {agent.name}, everyone here sees it",
        f"Ask {agent.name}",
        hears,
    )


def _dispatch(room: Room, agent: MemberView) -> Choice:
    hears = " ".join([presence(agent), *_seen_by(room)])
    return Choice(
        f"agent:{agent.handle}",
        "ear-open",
        Tone.AGENT,
        f"To {agent.name}",
        f"To {agent.name}",
        f"Ask {agent.name}",
        hears,
        dispatch="future_turn",
    )


def _alone(person: MemberView) -> Choice:
    words = f"Only {person.name} and you"
    return Choice(
        f"participant:{person.handle}",
        "two-heads",
        Tone.DIRECT,
        person.name,
        words,
        f"Send to {person.name} alone",
        f"No agent hears it. {MODERATED}",
    )


def _everyone(room: Room) -> Choice:
    people = [counted(len(room.others), "other person", "other people")] if room.others else []
    heads = [*people, *(agent.name for agent in room.agents)]
    away = [presence(agent) for agent in room.agents if agent.present is False]
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


def _people(room: Room) -> str:
    others = _names(room.others)
    if len(room.others) == 1:
        return f"{others} hears this."
    return f"{len(room.others)} others hear this: {others}."


def _seen_by(room: Room) -> list[str]:
    if not room.others:
        return []
    return [f"{counted(len(room.others), 'other person sees', 'other people see')} it."]


def _names(members: Iterable[MemberView]) -> str:
    return listed([member.name for member in members])
