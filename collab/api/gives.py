"""What the API gives: the contract's names for what the readers answer with. It may grow, never shrink."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from ninja import Schema
from pydantic import Field, SerializerFunctionWrapHandler, model_serializer


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
    modes: list[str] | None = None
    namespaces: list[str] | None = None
    tools: dict[str, str] | None = None
    sources: list[str] | None = None
    placement: str = ""
    turns_a_day: int | None = None
    tokens_a_day: int | None = None


class RoomOut(Schema):
    """A session as all who are in it see it. `roles` are its own lists of capabilities, in place of the defaults."""

    id: UUID
    slug: str
    title: str
    active_agent: str | None
    default_audience: str
    answers: str
    guests_public: bool
    roles: dict[str, list[str]] | None
    namespace: str
    sources: list[str] | None
    created_at: datetime


class SessionOut(RoomOut):
    """A session as the caller sees it, with what the caller may do there."""

    role: str | None = None
    capabilities: list[str] = []


class InvitationOut(Schema):
    """An invitation. `made_by` is a handle."""

    id: UUID
    role: str
    most: int
    used: int
    made_by: str
    made_at: datetime
    expires_at: datetime
    revoked_at: datetime | None


class InvitationMade(InvitationOut):
    """A new invitation: `code` and `link` are shown here, and never again."""

    code: str
    link: str


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
    revision: int
    withheld: bool


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
    revision: int
    turn: str | None
    dispatch: str
    child: str | None


class PostedOut(MessageOut):
    """A message that was posted. `unheard`: the agents that its text names and that do not hear it."""

    unheard: list[str] = []


class ResentOut(MessageOut):
    """A message that was sent again. `sent_to`: the handles of the agents before whom it was put now."""

    sent_to: list[str]


class PageOut(Schema):
    """A page of messages, ascending; `next` continues in the direction asked."""

    items: list[MessageOut]
    next: int | None


class HistoryOut(Schema):
    """One line of a message's trail. `kind`: `disposition`, a step before `agent`; `revision`, its `n`-th `text`;
    `reclassification`, of who may hear it, `from` one audience `to` another; `deleted`; `turn`, the end without an
    answer (`stopped`, `failed`) of one that took it in."""

    at: datetime
    kind: str
    state: str
    reason: str
    actor: str
    agent: str
    retryable: bool
    n: int | None = None
    text: str = ""
    before: str | list[str] | None = Field(default=None, serialization_alias="from")
    after: str | list[str] | None = Field(default=None, serialization_alias="to")


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
    """An agent's run over an input; `steers`: the messages that it was steered by."""

    id: str
    agent: str
    state: str
    reason: str
    retryable: bool
    input: str
    started_at: datetime
    ended_at: datetime | None
    attempts: list[AttemptOut]
    window: str
    steers: list[str]


class TurnsOut(Schema):
    """Turns, newest first."""

    items: list[TurnOut]


class StoppedOut(Schema):
    """Whether anything ran."""

    stopped: bool


class AskOut(Schema):
    """What an agent asks one person. Of an approval `content` is the call of `tool` in full, as it will be run."""

    id: str
    session: str
    kind: str
    agent: str
    agent_name: str
    asker: str
    tool: str
    content: str
    digest: str
    options: list[str]
    state: str
    answer: str
    made_at: datetime
    expires_at: datetime


class FrameOut(Schema):
    """One change; the body stands under the name of its type."""

    type: str
    seq: int
    message: MessageOut | str | None = None
    delivery: DeliveryOut | None = None
    turn: TurnOut | None = None
    member: MemberOut | None = None
    session: RoomOut | None = None
    ask: AskOut | None = None

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
