"""Who is in a session and what roles may do there, for those who manage it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from messaging.domain.capability import RANKS, Capability, Role, is_above
from messaging.roster.access import MemberView
from messaging.roster.models import Session

WORDS = {
    Capability.POST_HUMAN: "Speak to people",
    Capability.POST_AGENT: "Ask the agent, tell everyone",
    Capability.DISPATCH_AGENT: "Ask agents by name",
    Capability.DIRECT_MESSAGE: "Write to single people",
    Capability.STEER: "Steer an answer that is coming",
    Capability.STOP: "Stop an answer",
    Capability.SUPERSEDE: "Withdraw what waits",
    Capability.RECLASSIFY: "Change who hears",
    Capability.MANAGE_MEMBERS: "Manage members",
    Capability.MODERATE: "Delete what others said",
    Capability.EXPORT: "Export",
}
#: Roles whose lists a session may keep itself, as the page shows them.
LISTED = (Role.MODERATOR, Role.MEMBER, Role.VIEWER, Role.GUEST, Role.AGENT)


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


def seated(members: Collection[MemberView], own: str) -> list[Seated]:
    """Everybody, with what the viewer's role may make of them."""
    found = []
    for member in members:
        mine = not _is_beyond(Role(own), Role(member.role))
        roles = assignable(own) if member.kind == "human" and mine else []
        found.append(Seated(member, roles, mine))
    return found


def assignable(own: str) -> list[str]:
    """The roles that somebody may give to people."""
    return [str(role) for role in RANKS if not _is_beyond(Role(own), role)]


def invitable(own: str) -> list[str]:
    """The roles that somebody may invite to by a link: to moderate, owners alone invite."""
    roles = [role for role in assignable(own) if role != Role.OWNER]
    return [role for role in roles if role != Role.MODERATOR or own == Role.OWNER]


def _is_beyond(own: Role, role: Role) -> bool:
    return is_above(role, own) or (role is Role.OWNER and own is not Role.OWNER)


def rights(session: Session) -> list[Right]:
    """What each role may do in this session."""
    granted = {role: session.granted(role) for role in LISTED}
    return [Right(str(one), WORDS[one], [(str(role), one in granted[role]) for role in LISTED]) for one in Capability]
