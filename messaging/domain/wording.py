"""Small pieces of sentences, and the words for what programs call by a code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from messaging.domain.audit import Verb
from messaging.domain.capability import Capability

#: What a capability lets somebody do, as the end of a sentence: "You may ...".
CAPABILITIES: Mapping[str, str] = MappingProxyType(
    {
        Capability.POST_HUMAN: "speak to people",
        Capability.POST_AGENT: "ask the agent or tell everyone",
        Capability.DISPATCH_AGENT: "ask agents by name",
        Capability.DIRECT_MESSAGE: "write to single people",
        Capability.STEER: "steer an answer that is coming",
        Capability.STOP: "stop an answer",
        Capability.SUPERSEDE: "withdraw what waits",
        Capability.RECLASSIFY: "change who hears a message",
        Capability.MANAGE_MEMBERS: "manage this session and its members",
        Capability.MODERATE: "delete what others said",
        Capability.EXPORT: "export what was said",
    }
)
#: What somebody did, or tried, as the audit log tells it: "alex ...".
DEEDS: Mapping[str, str] = MappingProxyType(
    {
        Verb.REFUSED: "was refused",
        Verb.RECLASSIFIED: "changed who hears a message",
        Verb.SUPERSEDED: "withdrew a message",
        Verb.RESENT: "sent a message again",
        Verb.EDITED: "edited a message",
        Verb.DELETED: "deleted a message",
        Verb.STOPPED: "stopped agents",
        Verb.FRESH_START: "started agents afresh",
        Verb.READ: "read in the back office",
        Verb.JOINED: "brought somebody in",
        Verb.ROLE: "changed a role",
        Verb.LEFT: "ended a membership",
        Verb.SESSION: "opened, changed or closed a session",
        Verb.INVITED: "made an invitation",
        Verb.INVITATION_REVOKED: "took back an invitation",
        Verb.ACCOUNT: "changed an account",
        Verb.AGENT: "changed an agent",
        Verb.SOURCE: "changed a source",
        Verb.ASK: "asked or answered",
        Verb.TOKEN: "issued or revoked a token",
    }
)
#: The same of deeds of several kinds, by the deed and what it changed.
CHANGES: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        (Verb.SESSION, "opened"): "opened a session",
        (Verb.SESSION, "settings"): "changed a session's settings",
        (Verb.SESSION, "closed"): "closed a session",
        (Verb.ACCOUNT, "opened"): "opened an account again",
        (Verb.ACCOUNT, "closed"): "closed an account",
        (Verb.AGENT, "added"): "added an agent",
        (Verb.AGENT, "settings"): "changed an agent's settings",
        (Verb.AGENT, "paused"): "paused all agents",
        (Verb.AGENT, "resumed"): "let all agents go on",
        (Verb.AGENT, "opened"): "took an agent back into use",
        (Verb.AGENT, "closed"): "took an agent out of use",
        (Verb.SOURCE, "added"): "added a source",
        (Verb.SOURCE, "settings"): "changed a source's settings",
        (Verb.SOURCE, "asked"): "had a source looked at again",
        (Verb.ASK, "made"): "asked somebody",
        (Verb.ASK, "answered"): "answered an agent",
        (Verb.ASK, "expired"): "was not answered in time",
        (Verb.ASK, "withdrawn"): "took back what an agent had asked",
        (Verb.TOKEN, "issued"): "issued a token",
        (Verb.TOKEN, "revoked"): "revoked a token",
    }
)


def done(deed: str, change: str = "") -> str:
    """What somebody did, as the audit log tells it; the code itself where it has no words."""
    return CHANGES.get((deed, change)) or DEEDS.get(deed, deed)


def lacking(capability: str) -> str:
    """What somebody is told whose role does not include it."""
    return f"Your role here does not let you {CAPABILITIES.get(capability, 'do this')}."


def own_alone(capability: str) -> str:
    """What somebody is told who may do it, but not to what others said or asked."""
    return f"Your role here lets you {CAPABILITIES.get(capability, 'do this')} only where it is your own."


def listed(names: Sequence[str], *, at_most: int = 4) -> str:
    """`Mo, Sam and Vic`, or `Mo, Sam, Vic and 9 more`."""
    if len(names) > at_most:
        return f"{', '.join(names[: at_most - 1])} and {len(names) - at_most + 1} more"
    if len(names) < 2:  # noqa: PLR2004 - a list of one has no "and"
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def with_you(names: Sequence[str]) -> str:
    """`Sam, Mo and you`, or `Mo, Sam, 9 more and you`: the reader is never among those who are only counted."""
    if len(names) > 3:  # noqa: PLR2004 - with "you" a list holds four
        return f"{', '.join(names[:2])}, {len(names) - 2} more and you"
    return listed([*names, "you"])


def counted(number: int, one: str, many: str) -> str:
    """`1 person`, `3 people`."""
    return f"{number} {one if number == 1 else many}"
