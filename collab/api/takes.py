"""What the API takes. Unknown fields are refused, and so are characters that no database keeps."""

from __future__ import annotations

from math import isfinite
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    Strict,
    StringConstraints,
)

from messaging.domain.capability import InvitedWord, PersonWord
from messaging.domain.text import MAX_REASON, check_characters
from messaging.roster.invitations import MOST_HOURS, MOST_PEOPLE, USUAL_HOURS, USUAL_PEOPLE

MOST_DEPTH = 16


def _storable(value: Any, depth: int = 0) -> Any:
    """Refuses, anywhere within a value, characters that no database keeps, and nesting without end."""
    if depth > MOST_DEPTH:
        raise ValueError(f"is nested more than {MOST_DEPTH} deep")
    if isinstance(value, str):
        check_characters(value)
    if isinstance(value, float) and not isfinite(value):
        raise ValueError("is no number that JSON can hold")
    parts = [*value.keys(), *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    for part in parts:
        _storable(part, depth + 1)
    return value


def _checked(value: Any) -> Any:
    return _storable(value)


Text = Annotated[str, AfterValidator(_checked)]
Handle = Annotated[Text, StringConstraints(min_length=1, max_length=64)]
Slug = Annotated[Text, StringConstraints(max_length=64)]
Name = Annotated[Text, StringConstraints(max_length=80)]
Title = Annotated[Text, StringConstraints(min_length=1, max_length=120)]
Email = Annotated[Text, StringConstraints(max_length=254)]
Word = Annotated[Text, StringConstraints(max_length=64)]
Digest = Annotated[Text, StringConstraints(max_length=64)]
Short = Annotated[Text, StringConstraints(max_length=200)]
Sources = Annotated[list[Word], Field(max_length=64)] | None
Id = Annotated[UUID, Strict(False)]
Settings = Annotated[dict[str, Any], AfterValidator(_checked)]


class In(BaseModel):
    """A request's body."""

    model_config = ConfigDict(extra="forbid", strict=True)


class SourceIn(In):
    """Where a post came from, for diagnostics; decides nothing."""

    # One that says nothing can then stand for all that do.
    model_config = In.model_config | {"frozen": True}

    client: Word = ""
    shortcut: Word = ""


class PostIn(In):
    """A message to post."""

    text: Text = Field(description="At most 64 KiB of UTF-8; what people give to agents at most 8 KiB.")
    audience: Text | Annotated[list[Text], Field(min_length=1, max_length=32)] | None = Field(
        default=None,
        description=(
            "Who may hear it: `participants` (people of the session only), `active_agent`, `everyone` (people and all "
            "agents, starts no turn), `agent:<handle>` or `participant:<handle>`; a list for several agents or several "
            "people. Left out, a reply keeps its parent's class; a person's other post means the session's default "
            "(shown as `compat`), and an agent's is refused."
        ),
    )
    dispatch: Short = Field(default="", description="Required with `agent:<handle>`: `future_turn`.")
    delivery: Short = Field(
        default="queue",
        description=(
            "`queue`, or `steer`: into the turn that the agent runs, at its next step; where that cannot be, it waits "
            "its turn and says why."
        ),
    )
    client_key: Text | None = Field(
        default=None,
        description="Unique per author and session: the same request again gives the original, another one 409.",
    )
    reply_to: UUID | None = Field(default=None, strict=False, description="A message that the author can see here.")
    on_behalf_of: Short = Field(default="", description="Whom the author claims to speak for; shown as unverified.")
    mentions: Annotated[list[Handle], Field(max_length=64)] = Field(
        default_factory=list, description="Not available yet; leave it empty."
    )
    source: SourceIn = SourceIn()


_AUDIENCE = Text | Annotated[list[Text], Field(min_length=1, max_length=32)]
_REVISION = "The one that was looked at; where the message has another by now, nothing is changed."
Reason = Annotated[Text, StringConstraints(max_length=MAX_REASON)]


class EditIn(In):
    """A message's new text."""

    text: Text = Field(description="At most 64 KiB of UTF-8; what people give to agents at most 8 KiB.")
    revision: int | None = Field(default=None, ge=1, le=2**31 - 1, description=_REVISION)


#: What becomes of what agents answered to a message that is taken back.
_Answers = Literal["keep", "take_back"]


class DeleteIn(In):
    """Why a message is deleted, and what becomes of its answers."""

    reason: Reason = Field(default="", description="Needed by who deletes what somebody else said.")
    answers: _Answers = Field(
        default="keep",
        description="`take_back`: what agents answered to it is deleted as well, and an answer on its way not said.",
    )


class ReclassifyIn(In):
    """Who may hear a message from now on."""

    audience: _AUDIENCE = Field(
        description="As in a post, but for `participant:<handle>`: a message cannot shrink to single people."
    )
    reason: Reason = Field(min_length=1, description="Kept and shown in the message's history.")
    confirm: bool = Field(default=False, description="True where an agent is to hear it; without it that is refused.")
    dispatch: Short = Field(default="", description="Required with `agent:<handle>`: `future_turn`.")
    revision: int | None = Field(default=None, ge=1, le=2**31 - 1, description=_REVISION)
    answers: _Answers = Field(
        default="keep",
        description=(
            "`take_back`, with `participants` alone: what agents answered to it becomes people only as well, and an "
            "answer on its way is not said."
        ),
    )


class ResendIn(In):
    """Which delivery to repeat, and to whom that is meant to go."""

    delivery: UUID | None = Field(
        default=None, strict=False, description="The newest one before its agent; left out, all that need it."
    )
    agents: Annotated[list[Handle], Field(max_length=64)] | None = Field(
        default=None, description="Where it would go to others than these by now, nothing is sent; left out, to all."
    )


class SessionIn(In):
    """A session to open."""

    title: Annotated[Text, StringConstraints(max_length=120)] = Field(
        default="", description="Left out: the session's agent proposes one, of what it is told there."
    )
    slug: Slug = ""
    active_agent: Handle | None = None
    namespace: Word = Field(default="", description="A label; agents may be kept to some of them.")
    sources: Sources = Field(default=None, description="Those that its agents may use; null: all that they have.")


class ForkIn(In):
    """What goes along into a fork, beside what its agent was told and answered."""

    title: Annotated[Text, StringConstraints(max_length=120)] = ""
    until: UUID | None = Field(default=None, strict=False, description="The last message that is carried.")
    messages: list[Id] = Field(
        default=[], max_length=200, description="Words of people among themselves that agents hear there."
    )
    reason: Annotated[Text, StringConstraints(max_length=MAX_REASON)] = ""
    confirm: bool = False


class MergeIn(In):
    """Which messages of a side session or a fork come back, and who hears them here."""

    source: Handle
    messages: list[Id] = Field(min_length=1, max_length=200)
    audience: Word | list[Word]
    dispatch: Word = ""
    reason: Annotated[Text, StringConstraints(max_length=MAX_REASON)] = ""
    confirm: bool = False


class SessionPatch(In):
    """What may change of a session; what is not named stays."""

    title: Title | None = None
    active_agent: Handle | None = None
    default_audience: Word | None = Field(default=None, description="`active_agent` or `participants`.")
    answers: Word | None = Field(default=None, description="Who hears an agent's answer: `everyone`, `participants`.")
    guests_public: bool | None = Field(default=None, description="Whether guests may ask the active agent.")
    namespace: Word | None = Field(default=None, description="A label; agents may be kept to some of them.")
    sources: Sources = Field(default=None, description="Those that its agents may use; null: all that they have.")
    roles: dict[Word, Annotated[list[Word], Field(max_length=32)] | None] | None = Field(
        default=None,
        max_length=8,
        description=(
            "For owners alone: lists of capabilities by role (`moderator`, `member`, `viewer`, `guest`, `agent`) in "
            "place of the defaults; null for a role's default again, null in place of it all for every role's."
        ),
    )


class InvitationIn(In):
    """An invitation to make: how many may join by it, and for how many hours it is good."""

    role: InvitedWord = "member"
    most: int = Field(default=USUAL_PEOPLE, ge=1, le=MOST_PEOPLE)
    hours: int = Field(default=USUAL_HOURS, ge=1, le=MOST_HOURS)


class RedeemIn(In):
    """The code of an invitation, from the end of its link."""

    code: Short


class MemberIn(In):
    """Somebody to bring in. An agent's handle seats it, with role `agent`."""

    handle: Handle
    role: Literal[PersonWord, "agent"] = "member"


class MemberPatch(In):
    """A member's new role."""

    role: PersonWord


class PersonIn(In):
    """A person to add."""

    handle: Handle
    name: Name = ""
    email: Email = ""


class AgentIn(In):
    """An agent to add. Hosted ones name a provider; secrets are named in `settings`, never given."""

    handle: Handle
    name: Name = ""
    kind: Literal["hosted", "connected"]
    provider: Annotated[Text, StringConstraints(max_length=32)] = ""
    settings: Settings = Field(default_factory=dict)
    modes: list[Word] | None = Field(default=None, max_length=8, description="In which it may be called; null: any.")
    namespaces: list[Word] | None = Field(default=None, max_length=64, description="Of sessions that it works in.")
    tools: dict[Word, Word] | None = Field(default=None, max_length=64, description="Each with a permission.")
    sources: Sources = Field(default=None, description="From which it gets tools; null: none.")
    placement: Word = Field(default="", description="The queue of the fleet that serves it.")
    turns_a_day: int | None = None
    tokens_a_day: int | None = None


class AgentPatch(In):
    """What may change of an agent; what is not named stays. `settings` come whole."""

    name: Name | None = None
    provider: Annotated[Text, StringConstraints(max_length=32)] | None = None
    settings: Settings | None = None
    modes: list[Word] | None = Field(default=None, max_length=8)
    namespaces: list[Word] | None = Field(default=None, max_length=64)
    tools: dict[Word, Word] | None = Field(default=None, max_length=64)
    sources: Sources = None
    placement: Word | None = None
    turns_a_day: int | None = None
    tokens_a_day: int | None = None
