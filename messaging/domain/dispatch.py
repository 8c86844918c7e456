"""How an agent may be called (specification B, "Addressing humans and agents"; decisions, "Dispatch").

A mode is always said and never inferred. Whether it is permitted is asked of these rules alone, for people and for
agents alike, before anything is stored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

#: Agent-to-agent turns that follow each other without a person.
MAX_HOPS = 8
#: How deep consults and child sessions may lie within each other.
MAX_DEPTH = 2
#: Child sessions of one session.
MAX_CHILDREN = 50
#: How a session's label may be spelled.
NAMESPACE = re.compile(r"[A-Za-z0-9_.-]{1,32}")


class Mode(StrEnum):
    """What is wished of the agent that is named."""

    CONSULT = "consult"
    FUTURE_TURN = "future_turn"
    CHILD_SESSION = "child_session"
    ADVISOR = "advisor"


#: What each kind of agent can do at all: one that runs elsewhere takes mail.
OFFERS: Mapping[str, frozenset[Mode]] = MappingProxyType(
    {"hosted": frozenset(Mode), "connected": frozenset({Mode.FUTURE_TURN})}
)
#: Modes in which the active agent goes on with what the named one says: they take one.
WITHIN = frozenset({Mode.CONSULT, Mode.ADVISOR})
_NESTED = frozenset({Mode.CONSULT, Mode.ADVISOR, Mode.CHILD_SESSION})


@dataclass(frozen=True, slots=True)
class Policy:
    """What an agent is permitted, or None for no narrower rule: `modes` it is called in, `namespaces` of sessions."""

    modes: frozenset[str] | None = None
    namespaces: frozenset[str] | None = None


UNBOUND = Policy()


@dataclass(frozen=True, slots=True)
class Target:
    """The agent that is named. `usable`: enabled, and with a seat here; `active`: the session's active one."""

    kind: str
    policy: Policy = UNBOUND
    usable: bool = True
    active: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where it is called: the session's namespace, depth and children; `has_active`: a hosted agent can ask it."""

    namespace: str = ""
    depth: int = 0
    children: int = 0
    has_active: bool = True


@dataclass(frozen=True, slots=True)
class Origin:
    """By whose words: `hops` of agent-to-agent turns so far, and how deep their turn is nested; 0 for a person's."""

    hops: int = 0
    depth: int = 0


#: Where every count begins.
BY_PERSON = Origin()


def fault(mode: Mode, target: Target, place: Place, origin: Origin = BY_PERSON) -> str:
    """Why this mode is not permitted, a code of `messaging.domain.reason`; empty where it is."""
    if not target.usable:
        return "not_available"
    if mode not in OFFERS.get(target.kind, frozenset()) or _forbidden(mode, target.policy.modes):
        return "no_mode"
    if mode in WITHIN and (target.active or not place.has_active):
        return "no_mode"
    return _common(target, place, origin) or _bound(mode, place, origin)


def fault_of_active(target: Target, place: Place, origin: Origin) -> str:
    """The same for who is called as the session's active agent, which takes no mode."""
    return _common(target, place, origin) if target.usable else "not_available"


def _common(target: Target, place: Place, origin: Origin) -> str:
    if _forbidden(place.namespace, target.policy.namespaces):
        return "namespace"
    return "hops" if origin.hops > MAX_HOPS else ""


def _bound(mode: Mode, place: Place, origin: Origin) -> str:
    if mode in _NESTED and max(place.depth, origin.depth) >= MAX_DEPTH:
        return "depth"
    return "children" if mode is Mode.CHILD_SESSION and place.children >= MAX_CHILDREN else ""


def _forbidden(word: str, permitted: frozenset[str] | None) -> bool:
    return permitted is not None and word not in permitted


def policy(stored: object) -> Policy:
    """The policy kept with a seat. What cannot be read permits nothing."""
    if stored is None:
        return UNBOUND
    if not isinstance(stored, Mapping):
        return Policy(frozenset(), frozenset())
    return Policy(_words(stored.get("modes")), _words(stored.get("namespaces")))


def _words(stored: object) -> frozenset[str] | None:
    if stored is None:
        return None
    return frozenset(one for one in stored if isinstance(one, str)) if isinstance(stored, list) else frozenset()
