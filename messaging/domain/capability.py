"""Who may do what: role x capability (decisions, "Roles and capabilities")."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Literal, TypeAlias, get_args

from messaging.domain.audience import ActiveAgent, AgentBound, Agents, Audience, Everyone, Participants, People


class Role(StrEnum):
    """A member's place in a session; `agent` is for agents alone."""

    OWNER = "owner"
    MODERATOR = "moderator"
    MEMBER = "member"
    VIEWER = "viewer"
    GUEST = "guest"
    AGENT = "agent"


class Capability(StrEnum):
    """What is checked on every operation."""

    POST_HUMAN = "post_human"
    POST_AGENT = "post_agent"
    DISPATCH_AGENT = "dispatch_agent"
    DIRECT_MESSAGE = "direct_message"
    RECLASSIFY = "reclassify"
    SUPERSEDE = "supersede"
    STEER = "steer"
    STOP = "stop"
    MANAGE_MEMBERS = "manage_members"
    MODERATE = "moderate"
    EXPORT = "export"


_C = Capability
_MEMBER = frozenset(
    {
        _C.POST_HUMAN,
        _C.POST_AGENT,
        _C.DISPATCH_AGENT,
        _C.DIRECT_MESSAGE,
        _C.STEER,
        _C.STOP,
        _C.SUPERSEDE,
        _C.RECLASSIFY,
        _C.EXPORT,
    }
)
DEFAULTS: dict[Role, frozenset[Capability]] = {
    Role.OWNER: frozenset(Capability),
    Role.MODERATOR: frozenset(Capability),
    Role.MEMBER: _MEMBER,
    Role.VIEWER: frozenset({_C.POST_HUMAN, _C.DIRECT_MESSAGE}),
    Role.GUEST: frozenset({_C.POST_HUMAN}),
    Role.AGENT: frozenset({_C.POST_HUMAN, _C.POST_AGENT, _C.DIRECT_MESSAGE, _C.DISPATCH_AGENT, _C.SUPERSEDE}),
}


#: A session's own lists in place of the defaults: role -> capabilities. The owner's role has none: it holds them all.
Overrides: TypeAlias = Mapping[str, Iterable[str]]
#: Roles whose reach is the whole session; everybody else's is what they said or asked themselves.
_ABOVE = frozenset({Role.OWNER, Role.MODERATOR})


def granted(role: Role, *, guests_public: bool = False, overrides: Overrides | None = None) -> frozenset[Capability]:
    """What a role may do in a session; where guests are public these may ask the agent, too.

    A session's own list takes the place of the default and of what public guests get. Words that are no
    capability (of a later version, perhaps) grant nothing.
    """
    own = (overrides or {}).get(role) if role is not Role.OWNER else None
    if own is not None:
        return frozenset(capability for capability in Capability if capability in own)
    extra = {_C.POST_AGENT} if role is Role.GUEST and guests_public else set()
    return DEFAULTS[role] | extra


def reaches_others(role: Role) -> bool:
    """Whether a capability over messages and turns reaches those of others, not the role's own alone."""
    return role in _ABOVE


#: Roles to which people are invited, and those that people have, as requests write them; from the most to the least.
InvitedWord: TypeAlias = Literal["moderator", "member", "viewer", "guest"]
PersonWord: TypeAlias = Literal["owner", InvitedWord]
INVITED = tuple(Role(word) for word in get_args(InvitedWord))
#: Agents stand beside: nobody becomes one, and none becomes anything else.
RANKS = tuple(Role(word) for word in get_args(PersonWord))
#: Roles whose capabilities a session may list itself. The owner's holds them all, or nobody could take a list back.
OVERRIDABLE = tuple(role for role in Role if role is not Role.OWNER)


def is_above(role: Role, other: Role) -> bool:
    """Whether a role of people stands above another. An agent's stands above and below none."""
    return role in RANKS and other in RANKS and RANKS.index(role) < RANKS.index(other)


def decides_about(own: Role, role: Role) -> bool:
    """Whether who manages members may give a role, or take it: none above their own, and owners alone that of owner.

    A session may let members manage members: that makes them no moderators.
    """
    return not is_above(role, own) and (role is not Role.OWNER or own is Role.OWNER)


def invites_to(own: Role, role: Role) -> bool:
    """Whether who manages members may invite to a role: as they decide, but to moderate owners alone invite."""
    return role in INVITED and decides_about(own, role) and (role is not Role.MODERATOR or own is Role.OWNER)


def needed(audience: Audience) -> frozenset[Capability]:
    """The capabilities that speaking to an audience takes. `system` can be given by nobody."""
    match audience:
        case Participants():
            return frozenset({_C.POST_HUMAN})
        case ActiveAgent():
            return frozenset({_C.POST_AGENT})
        case Agents():
            return frozenset({_C.DISPATCH_AGENT})
        case People():
            return frozenset({_C.DIRECT_MESSAGE})
        case Everyone():
            return frozenset({_C.POST_HUMAN, _C.POST_AGENT})
    raise PermissionError("system messages come from the server alone")


#: One audience of each agent-bound class: whom `agent:` names makes no difference to what it takes.
_AGENT_BOUND: tuple[AgentBound, ...] = (ActiveAgent(), Agents(("any",)), Everyone())
_NEEDED = {str(audience.kind): needed(audience) for audience in _AGENT_BOUND}


def needed_by_kind(kind: str, *, steers: bool = False) -> frozenset[Capability]:
    """The same for the stored word of an agent-bound audience; all there is for any other. Steering takes its own."""
    return _NEEDED.get(kind, frozenset(Capability)) | (frozenset({Capability.STEER}) if steers else frozenset())
