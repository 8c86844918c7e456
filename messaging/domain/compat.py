"""What a post without a field `audience` means (specification B, "Client shortcuts"; decisions, "Audience")."""

from __future__ import annotations

from dataclasses import dataclass

from messaging.domain.audience import (
    ActiveAgent,
    Agents,
    Audience,
    AudienceError,
    Everyone,
    Kind,
    Participants,
    People,
    System,
)

V1_DEFAULT = "v1-default"


@dataclass(frozen=True, slots=True)
class Parent:
    """What a reply needs to know of its parent: its audience and who said it."""

    audience: Audience
    author: str
    author_kind: str


@dataclass(frozen=True, slots=True)
class Resolved:
    """The audience a post gets, the stored mark of the compatibility default, and its addressees.

    `threaded`: whether it may name its parent. One that more people hear than heard the parent may not:
    it would tell them of a direct message.
    """

    audience: Audience
    compat: str = ""
    to: tuple[str, ...] = ()
    threaded: bool = True


def session_default(word: str) -> Audience:
    """A session's own default for old clients; anything but the two plain classes is no default."""
    defaults: dict[str, Audience] = {Kind.PARTICIPANTS: Participants(), Kind.ACTIVE_AGENT: ActiveAgent()}
    return defaults[word]


def resolve(
    said: Audience | None, *, author: str, author_kind: str, parent: Parent | None, default: str, active: str = ""
) -> Resolved:
    """The audience of a new post.

    said: what the client named. author, author_kind: the poster. parent: of a reply. default: the session's word.
    active: the handle of the session's active agent, to whom a reply goes as to the active agent.
    Raises AudienceError where an agent names none and replies to nothing.
    """
    if parent is not None:
        audience = said or _of_reply(parent, author, author_kind, active)
        threaded = not tells_of(parent, audience)
        return Resolved(audience, to=(parent.author,) if threaded else (), threaded=threaded)
    if said is not None:
        return Resolved(said)
    if author_kind != "human":
        raise AudienceError("is needed: an agent says who is to hear a post that is no reply")
    return Resolved(session_default(default), compat=V1_DEFAULT)


def tells_of(parent: Parent, audience: Audience) -> bool:
    """Whether somebody hears the reply who may not see its parent."""
    if not isinstance(parent.audience, People):
        return False
    circle = {parent.author, *parent.audience.handles}
    return not (isinstance(audience, People) and set(audience.handles) <= circle)


def _of_reply(parent: Parent, author: str, author_kind: str, active: str) -> Audience:
    if isinstance(parent.audience, People) and parent.author_kind == "agent":
        raise AudienceError("is needed here: an agent's direct message is answered to people, or to that agent, aloud")
    if author_kind == "human" and parent.author_kind == "agent":
        return ActiveAgent() if parent.author == active else Agents((parent.author,))
    match parent.audience:
        case People(handles):
            return People(_others((parent.author, *handles), author))
        case Agents() if author_kind == "agent":
            return Everyone() if parent.author_kind == "human" else Agents((parent.author,))
        case ActiveAgent() if author_kind == "agent":
            return Everyone()
        case System():
            # What the server says is for people, and nobody else can say anything in its class.
            return Participants()
    return parent.audience


def _others(handles: tuple[str, ...], author: str) -> tuple[str, ...]:
    others = tuple(dict.fromkeys(handle for handle in handles if handle != author))
    return others or (author,)
