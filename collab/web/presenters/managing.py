"""What a session is set to, who is in it and what roles may do there, for those who manage it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.text import capfirst

from messaging.domain.capability import (
    INVITED,
    OVERRIDABLE,
    RANKS,
    Capability,
    Role,
    decides_about,
    granted,
    invites_to,
)
from messaging.domain.wording import CAPABILITIES, listed
from messaging.mailbox.models import Source
from messaging.roster.access import MemberView
from messaging.roster.models import Agent, Session

#: What is said of a setting that was changed.
_SET = {
    "title": "the title",
    "active_agent": "which agent answers",
    "answers": "who hears its answers",
    "default_audience": "who hears what names nobody",
    "guests_public": "whether guests may ask",
    "namespace": "its namespace",
    "sources": "which sources of tools agents may use",
}
#: How the namespace without a name is called.
_NONE = "None"


@dataclass(frozen=True, slots=True)
class Option:
    """One value of a setting, in words."""

    value: str
    words: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Setting:
    """One choice about the session, with what it means beneath it."""

    name: str
    label: str
    means: str
    options: Sequence[Option]


@dataclass(frozen=True, slots=True)
class Seated:
    """A member with the roles that the viewer may give it; none where it is not theirs to decide."""

    member: MemberView
    roles: list[str]
    removable: bool


@dataclass(frozen=True, slots=True)
class Right:
    """One line of the table: a capability in words, and which roles hold it."""

    capability: str
    words: str
    held: list[tuple[str, bool]]


def settings(session: Session, members: Collection[MemberView]) -> list[Setting]:
    """What whoever manages the session may choose about it, but its title and its guests."""
    active = session.active_agent.handle.spelled if session.active_agent else ""
    agents = {"": "No agent"} | {one.handle: one.name for one in members if one.kind == "agent"}
    answers = {Session.Answers.EVERYONE: "People and all agents here", Session.Answers.PARTICIPANTS: "People only"}
    default = {Session.Default.ACTIVE_AGENT: "The agent that answers here", Session.Default.PARTICIPANTS: "People only"}
    return [
        Setting("active_agent", "Agent that answers here", "One that has a seat here.", _options(agents, active)),
        Setting(
            "answers",
            "Who hears its answers",
            "Other agents are told its answers only where they hear them.",
            _options(answers, session.answers),
        ),
        Setting(
            "default_audience",
            "Who hears a message that names nobody",
            "Old programs send such. On these pages it is always chosen. What was said before stays as it is.",
            _options(default, session.default_audience),
        ),
    ]


def namespaces(session: Session) -> list[Setting]:
    """The choice of a namespace, where the installation uses more than one: those of sessions, and of agents' rules."""
    used = {"", *Session.objects.values_list("namespace", flat=True).distinct()}
    for kept_to in Agent.objects.exclude(namespaces=None).values_list("namespaces", flat=True):
        used |= set(kept_to or ())
    if len(used) < len(("", "another")):
        return []
    words = {one: one or _NONE for one in sorted(used)}
    means = "A label. An agent that is kept to others cannot be asked here; what waits before it is refused."
    return [Setting("namespace", "Namespace", means, _options(words, session.namespace))]


def sources(session: Session) -> list[Option]:
    """The installation's sources of tools, and whether agents may use them here."""
    names = Source.objects.order_by("name").values_list("name", flat=True)
    return [Option(name, name, session.sources is None or name in session.sources) for name in names]


def chosen(session: Session, given: Collection[str]) -> list[str] | None:
    """What is to be kept where these were chosen: all of them are no narrower rule."""
    offered = {one.value for one in sources(session)}
    return None if offered <= set(given) else sorted(given)


def _options(words: Mapping[Any, str], chosen: str) -> list[Option]:
    return [Option(str(value), said, value == chosen) for value, said in words.items()]


def changed(before: Session, after: Session) -> str:
    """What is said of settings that were saved."""
    told = [words for name, words in _SET.items() if getattr(before, name) != getattr(after, name)]
    return f"Saved: {listed(told, at_most=len(_SET))}." if told else "Nothing was changed; it is all as it was."


def seated(members: Collection[MemberView], own: str) -> list[Seated]:
    """Everybody, with what the viewer's role may make of them."""
    found = []
    for member in members:
        mine = decides_about(Role(own), Role(member.role))
        roles = assignable(own) if member.kind == "human" and mine else []
        found.append(Seated(member, roles, mine))
    return found


def assignable(own: str) -> list[str]:
    """The roles that somebody may give to people."""
    return [str(role) for role in RANKS if decides_about(Role(own), role)]


def invitable(own: str) -> list[str]:
    """The roles that somebody may invite to by a link."""
    return [str(role) for role in INVITED if invites_to(Role(own), role)]


def rights(session: Session) -> list[Right]:
    """What each role may do in this session."""
    held = {role: session.granted(role) for role in OVERRIDABLE}
    return [
        Right(str(one), capfirst(CAPABILITIES[one]), [(str(role), one in held[role]) for role in OVERRIDABLE])
        for one in Capability
    ]


def own_lists(session: Session) -> list[str]:
    """The roles for which the session keeps a list of its own."""
    return [str(role) for role in OVERRIDABLE if role in (session.roles or {})]


def lists(session: Session, given: Mapping[Role, Collection[str]]) -> dict[str, list[str] | None]:
    """The lists of those roles alone that were changed; None for what is a role's default again.

    The others keep the defaults, whatever these become.
    """
    found: dict[str, list[str] | None] = {}
    for role, words in given.items():
        if set(words) != set(map(str, session.granted(role))):
            usual = set(map(str, granted(role, guests_public=session.guests_public)))
            found[str(role)] = None if set(words) == usual else list(words)
    return found
