"""Who may hear a message, as closed types (specification B, "Message envelope"; decisions, "Audience").

Each class is a type of its own, so that an illegal combination (a target where none belongs, a list
that mixes people and agents) has no constructor. Only `AgentBound` classes can become a delivery:
`messaging.mailbox.put` takes nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

from messaging.domain.handle import is_handle

MAX_TARGETS = 32


class AudienceError(ValueError):
    """The words for an audience are no audience. `str()` of it may be shown to people."""


class Kind(StrEnum):
    """The stored word of each class."""

    PARTICIPANTS = "participants"
    ACTIVE_AGENT = "active_agent"
    AGENTS = "agent"
    PEOPLE = "participant"
    EVERYONE = "everyone"
    SYSTEM = "system"


@dataclass(frozen=True, slots=True)
class Participants:
    """People of the session only; never before a model."""

    kind = Kind.PARTICIPANTS


@dataclass(frozen=True, slots=True)
class ActiveAgent:
    """Input for the session's active agent; people of the session see it."""

    kind = Kind.ACTIVE_AGENT


@dataclass(frozen=True, slots=True)
class Everyone:
    """People and every seat of the session; starts no turn."""

    kind = Kind.EVERYONE


@dataclass(frozen=True, slots=True)
class System:
    """A trusted event of the platform; no client can make one."""

    kind = Kind.SYSTEM


@dataclass(frozen=True, slots=True)
class _Targeted:
    handles: tuple[str, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.handles) <= MAX_TARGETS:
            raise AudienceError(f"names between 1 and {MAX_TARGETS} targets")
        if len({handle.casefold() for handle in self.handles}) != len(self.handles):
            raise AudienceError("names a target twice")
        bad = next((handle for handle in self.handles if not is_handle(handle)), None)
        if bad is not None:
            raise AudienceError("a target is no handle (letters, digits, _ and -)")


@dataclass(frozen=True, slots=True)
class Agents(_Targeted):
    """One or several named agents of the session; people of the session see it."""

    kind = Kind.AGENTS


@dataclass(frozen=True, slots=True)
class People(_Targeted):
    """One or several named people, and nobody else but the author."""

    kind = Kind.PEOPLE


AgentBound: TypeAlias = ActiveAgent | Agents | Everyone
#: The stored words of the same three, for queries and constraints.
AGENT_BOUND = (Kind.ACTIVE_AGENT, Kind.AGENTS, Kind.EVERYONE)
PeopleOnly: TypeAlias = Participants | People | System
Audience: TypeAlias = AgentBound | PeopleOnly

_PLAIN: Mapping[str, Audience] = MappingProxyType(
    {
        "participants": Participants(),
        "active_agent": ActiveAgent(),
        "everyone": Everyone(),
    }
)
_TARGETED: Mapping[str, type[Agents | People]] = MappingProxyType({"agent": Agents, "participant": People})


def parse(words: str | list[str]) -> Audience:
    """The audience a client names: one word, `agent:<handle>`, `participant:<handle>` or a list of one
    of the last two. `system` is refused here: clients cannot forge it. Raises AudienceError."""
    if isinstance(words, str):
        return _PLAIN.get(words) or _single(words)
    return _named(words)


@lru_cache(maxsize=1024)
def _single(word: str) -> Agents | People:
    """One target. A post has its audience looked at by several rules, and rooms name the same few again and again."""
    return _named([word])


def _named(words: list[str]) -> Agents | People:
    split = [word.partition(":") for word in words]
    classes = {word for word, _, _ in split}
    if len(classes) > 1:
        raise AudienceError("one message has one class of audience: agents or people, not both")
    kind = _TARGETED.get(next(iter(classes), ""))
    if kind is None:
        raise AudienceError("is not one of participants, active_agent, everyone, agent:<handle>, participant:<handle>")
    return kind(tuple(handle for _, _, handle in split))


def from_stored(kind: str, handles: tuple[str, ...]) -> Audience:
    """The audience of a stored row. Raises AudienceError on a word or combination that is none."""
    if kind in (Kind.AGENTS, Kind.PEOPLE):
        return _TARGETED[kind](handles)
    if handles:
        raise AudienceError(f"{kind} names no targets")
    if kind == Kind.SYSTEM:
        return System()
    if kind not in _PLAIN:
        raise AudienceError(f"{kind} is no audience")
    return _PLAIN[kind]


def to_words(audience: Audience) -> str | list[str]:
    """The form of the REST contract: a word, or a list where there are several targets."""
    if isinstance(audience, Agents | People):
        words = [f"{audience.kind}:{handle}" for handle in audience.handles]
        return words[0] if len(words) == 1 else words
    return str(audience.kind)


def is_agent_bound(audience: Audience) -> bool:
    """Whether an agent may ever hear it."""
    return audience.kind in AGENT_BOUND
