"""What the API takes and gives. What comes in refuses unknown fields; what goes out may grow."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from ninja import Schema
from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
)

from messaging.domain.text import check_characters

MOST_DEPTH = 16


def _storable(value: Any, depth: int = 0) -> Any:
    """Refuses, anywhere within a value, characters that no database keeps, and nesting without end."""
    if depth > MOST_DEPTH:
        raise ValueError(f"is nested more than {MOST_DEPTH} deep")
    if isinstance(value, str):
        check_characters(value)
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
Short = Annotated[Text, StringConstraints(max_length=200)]
Settings = Annotated[dict[str, Any], AfterValidator(_checked)]


class In(Schema):
    """A request's body."""

    model_config = ConfigDict(extra="forbid", strict=True)


class SourceIn(In):
    """Where a post came from, for diagnostics; decides nothing."""

    client: Word = ""
    shortcut: Word = ""


class PostIn(In):
    """A message to post."""

    text: Text
    audience: Text | Annotated[list[Text], Field(min_length=1, max_length=32)] | None = None
    dispatch: Short = ""
    delivery: Short = "queue"
    client_key: Text | None = None
    reply_to: UUID | None = Field(default=None, strict=False)
    on_behalf_of: Short = ""
    mentions: Annotated[list[Handle], Field(max_length=64)] = Field(default_factory=list)
    source: SourceIn = Field(default_factory=SourceIn)


class SessionIn(In):
    """A session to open."""

    title: Title
    slug: Slug = ""
    active_agent: Handle | None = None


class SessionPatch(In):
    """What may change of a session; what is not named stays."""

    title: Title | None = None
    active_agent: Handle | None = None


class MemberIn(In):
    """Somebody to bring in. An agent's handle seats it, with role `agent`."""

    handle: Handle
    role: Literal["owner", "moderator", "member", "viewer", "guest", "agent"] = "member"


class MemberPatch(In):
    """A member's new role."""

    role: Literal["owner", "moderator", "member", "viewer", "guest"]


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


class ErrorOut(Schema):
    """Every error."""

    code: str
    detail: str
    field: str = ""


class WhoOut(Schema):
    """A person or an agent. `id` is the handle."""

    id: str
    kind: str
    name: str


class AgentOut(WhoOut):
    """An agent as the installation knows it."""

    agent_kind: str
    provider: str


class SessionOut(Schema):
    """A session."""

    id: UUID
    slug: str
    title: str
    active_agent: str | None
    default_audience: str
    created_at: datetime
    role: str | None = None


class MemberOut(Schema):
    """A member, person or agent."""

    handle: str
    name: str
    kind: str
    role: str
    agent_kind: str | None
    active: bool
    present: bool | None


class DeliveryOut(Schema):
    """What became of a message before one agent."""

    id: str
    agent: str
    agent_name: str
    disposition: str
    reason: str
    retryable: bool
    turn: str | None
    changed_at: datetime
    step: int


class MessageOut(Schema):
    """A message in its current state."""

    id: str
    seq: int
    session: str
    author: WhoOut
    text: str
    audience: str | list[str]
    targets: list[str]
    to: list[str]
    compat: str
    on_behalf_of: str
    reply_to: str | None
    answers: str | None
    mentions: list[str]
    source: dict[str, Any]
    created_at: datetime
    edited_at: datetime | None
    deleted_at: datetime | None
    ever_delivered: bool
    deliveries: list[DeliveryOut]


class PageOut(Schema):
    """A page of messages, ascending; `next` continues in the direction asked."""

    items: list[MessageOut]
    next: int | None


class HistoryOut(Schema):
    """One line of a message's trail."""

    at: datetime
    kind: str
    state: str
    reason: str
    actor: str
    agent: str
    retryable: bool


class HistoryPage(Schema):
    """A message's trail, oldest first."""

    items: list[HistoryOut]


class AttemptOut(Schema):
    """One try at a turn."""

    n: int
    state: str
    reason: str
    retryable: bool
    started_at: datetime
    ended_at: datetime | None


class TurnOut(Schema):
    """An agent's run over an input."""

    id: str
    agent: str
    state: str
    reason: str
    retryable: bool
    input: str
    started_at: datetime
    ended_at: datetime | None
    attempts: list[AttemptOut]


class TurnsOut(Schema):
    """Turns, newest first."""

    items: list[TurnOut]


class FrameOut(Schema):
    """One change; the body stands under the name of its type."""

    type: str
    seq: int
    message: MessageOut | str | None = None
    delivery: DeliveryOut | None = None
    turn: TurnOut | None = None
    member: MemberOut | None = None

    @model_serializer(mode="wrap")
    def _without_the_others(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {name: value for name, value in handler(self).items() if value is not None}


class ChangesOut(Schema):
    """Everything since a number. `next` is the number to ask from again, `more` whether there is more now."""

    items: list[FrameOut]
    next: int
    more: bool


class MailOut(Schema):
    """A message as an agent was shown it. `seq` is the seat's own gapless number."""

    id: str
    seq: int
    author: WhoOut
    text: str
    audience: str
    to: list[str]
    on_behalf_of: str
    reply_to: str | None
    created_at: datetime


class MailPage(Schema):
    """What an agent was shown and said, ascending."""

    items: list[MailOut]
    next: int | None
