"""Who may do what: role x capability (decisions, "Roles and capabilities")."""

from __future__ import annotations

from enum import StrEnum

from messaging.domain.audience import ActiveAgent, Agents, Audience, Everyone, Participants, People


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


def granted(role: Role, *, guests_public: bool = False) -> frozenset[Capability]:
    """What a role may do by default; in a session with public guests these may ask the agent, too."""
    extra = {_C.POST_AGENT} if role is Role.GUEST and guests_public else set()
    return DEFAULTS[role] | extra


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
