"""How an agent may be called (specification B, "Addressing humans and agents"; decisions, "Dispatch").

A mode is always said and never inferred. Whether it is permitted is asked of these rules alone, for people and for
agents alike, before anything is stored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from uuid import UUID

from messaging.domain.call import offered

#: Agent-to-agent turns that follow each other without a person.
MAX_HOPS = 8
#: Turns of agents that one person's word may lead to in all, however they are spread.
MAX_TURNS = 64
#: How deep consults and child sessions may lie within each other.
MAX_DEPTH = 2
#: Child sessions of one session.
MAX_CHILDREN = 50
#: How a session's label may be spelled.
NAMESPACE = re.compile(r"[A-Za-z0-9_.-]{1,32}")
#: How a queue of the fleet may be called.
PLACEMENT = re.compile(r"[A-Za-z0-9_.-]{1,32}")


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
#: The tool by which an agent calls another one in each mode.
TOOLS: Mapping[Mode, str] = MappingProxyType(
    {
        Mode.CONSULT: "consult",
        Mode.ADVISOR: "advisor",
        Mode.CHILD_SESSION: "child_session",
        Mode.FUTURE_TURN: "send",
    }
)


@dataclass(frozen=True, slots=True)
class Policy:
    """What an agent is permitted, or None for no narrower rule: `modes` it is called in, `namespaces` of sessions.

    `sources` are those that it gets tools from; None: none.
    """

    modes: frozenset[str] | None = None
    namespaces: frozenset[str] | None = None
    sources: frozenset[str] | None = None


UNBOUND = Policy()


@dataclass(frozen=True, slots=True)
class Target:
    """The agent that is named. `usable`: enabled, and with a seat here; `active`: the session's active one.

    `granted`: one of its sources is granted here, if it has any. `served`: a process of the fleet serves its placement,
    as far as anybody can tell.
    """

    kind: str
    policy: Policy = UNBOUND
    usable: bool = True
    active: bool = False
    granted: bool = True
    served: bool = True


@dataclass(frozen=True, slots=True)
class Place:
    """Where it is called: the session's namespace, depth and children; `has_active`: a hosted agent can ask it."""

    namespace: str = ""
    depth: int = 0
    children: int = 0
    has_active: bool = True


@dataclass(frozen=True, slots=True)
class Origin:
    """By whose words: `hops` of agent-to-agent turns so far, and how deep their turn is nested; 0 for a person's.

    `asks` are the modes in which an agent's own policy lets it call others; None: no narrower rule. `root` is that
    person's message, `turns` how many turns of agents it has led to so far.
    """

    hops: int = 0
    depth: int = 0
    asks: frozenset[str] | None = None
    root: UUID | None = None
    turns: int = 0


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
    if _forbidden(mode, origin.asks):
        return "tools"
    return _common(target, place, origin) or _bound(mode, place, origin)


def fault_of_active(target: Target, place: Place, origin: Origin) -> str:
    """The same for who is called as the session's active agent, which takes no mode."""
    return _common(target, place, origin) if target.usable else "not_available"


def _common(target: Target, place: Place, origin: Origin) -> str:
    if _forbidden(place.namespace, target.policy.namespaces):
        return "namespace"
    if target.policy.sources and not target.granted:
        return "source"
    if not target.served:
        return "placement"
    return "hops" if origin.hops > MAX_HOPS or origin.turns >= MAX_TURNS else ""


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
    return Policy(_words(stored.get("modes")), _words(stored.get("namespaces")), _words(stored.get("sources")))


def asks(stored: object) -> frozenset[str] | None:
    """The modes in which an agent of this policy may call others; None where it names no tools at all.

    A tool that is for the turns of the installation's owner alone is none of these: this is asked outside of turns.
    """
    if not isinstance(stored, Mapping) or stored.get("tools") is None:
        return None
    return frozenset(mode for mode, tool in TOOLS.items() if offered(stored, tool))


def granted(own: Sequence[str] | None, here: Sequence[str] | None) -> list[str]:
    """The sources that an agent may use of its `own` in a session that grants those `here`; None there: all of them."""
    return sorted({name for name in own or () if here is None or name in here})


def _words(stored: object) -> frozenset[str] | None:
    if stored is None:
        return None
    return frozenset(one for one in stored if isinstance(one, str)) if isinstance(stored, list) else frozenset()
