"""What a face shows of the transcript: plain values, the same for a page, an answer and a frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias
from uuid import UUID

from messaging.roster.access import MemberView


@dataclass(frozen=True, slots=True)
class AuthorView:
    """Who said it. `id` is the handle; `name` is for eyes alone."""

    id: str
    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class DeliveryView:
    """What became of a message before one agent, as of step `step`.

    `revision` is that of the text it was put there with; a `withheld` one is in nothing that the agent is shown later.
    """

    id: str
    agent: str
    agent_name: str
    disposition: str
    reason: str
    retryable: bool
    turn: str | None
    changed_at: datetime
    step: int
    revision: int = 1
    withheld: bool = False
    #: What the message is to the agent: a question of its own, told along with the next one, or mail.
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class MessageView:
    """A message in its current state, as the contract names its fields. `turn` is the agent's that said it."""

    id: str
    seq: int
    session: str
    author: AuthorView
    text: str
    audience: str | list[str]
    audience_kind: str
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
    deliveries: list[DeliveryView] = field(default_factory=list)
    revision: int = 1
    turn: str | None = None
    #: The mode in which it calls the agents that it names, and the side session that it opened.
    dispatch: str = ""
    child: str | None = None
    #: Display names of the people in `targets`, or of the agent in a side session or that another asks, for eyes alone.
    target_names: list[str] = field(default_factory=list)
    #: Of one that was posted just now: the agents that its text names and that do not hear it.
    unheard: list[str] = field(default_factory=list)

    def is_by(self, handle: str) -> bool:
        """Whether this person said it."""
        return self.author.kind == "human" and self.author.id == handle


@dataclass(frozen=True, slots=True)
class Page:
    """Messages ascending by `seq`. `next` is the number to ask from for more in the direction asked, or None."""

    items: list[MessageView]
    next: int | None


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One line of a message's trail, of a kind: `disposition` (a step before `agent`), `revision` (its `n`-th `text`),
    `reclassification` (from audience `before` to `after`), `deleted`, or `turn` (one that took it in ended without an
    answer). `actor` is a handle, or who acts by itself."""

    at: datetime
    kind: str
    state: str
    reason: str
    actor: str
    agent: str
    retryable: bool
    n: int | None = None
    text: str = ""
    before: str | list[str] | None = None
    after: str | list[str] | None = None


@dataclass(frozen=True, slots=True)
class AttemptView:
    """One try at a turn."""

    n: int
    state: str
    reason: str
    retryable: bool
    started_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class TurnView:
    """An agent's run; `input` is the message it took in, `steers` those that it took in on the way.

    `window` says whether it takes more of these: open, closing, closed.
    """

    id: str
    agent: str
    state: str
    reason: str
    retryable: bool
    input: str
    started_at: datetime
    ended_at: datetime | None
    attempts: list[AttemptView]
    window: str = ""
    steers: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SessionView:
    """A session as all its people see it; `roles` are its own lists of capabilities, in place of the defaults.

    `sources` are those that its agents may use; None: all that they have.
    """

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


@dataclass(frozen=True, slots=True)
class MailRow:
    """One row of a seat's mailbox as it lies. A withheld one is a tombstone without text; a private one, too:
    the agent's own direct message, which is not for this viewer."""

    number: int | None
    direction: str
    id: str
    author: str
    author_kind: str
    text: str
    withheld: bool
    at: datetime
    disposition: str
    private: bool = False
    author_name: str = ""


@dataclass(frozen=True, slots=True)
class RecapView:
    """What stands in a seat's requests in place of its numbers `first` to `last`, both included."""

    first: int
    last: int
    text: str


@dataclass(frozen=True, slots=True)
class MailPage:
    """A stretch of a mailbox. `earlier` is the number to ask before for more, or None.

    `fresh_from`: rows up to this number go along with no later request, for the agent was started afresh; 0 for none.
    `recaps`: those of the whole mailbox, in order.
    """

    rows: list[MailRow]
    earlier: int | None
    fresh_from: int = 0
    recaps: list[RecapView] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class AskView:
    """What an agent asks one person, as it stands: for nobody else. `content` is exactly what is asked, in full.

    `kind` is `approval` (of a call of `tool`) or `question`; `answer` one of `options`; `asker` who set it to work.
    """

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


Body: TypeAlias = MessageView | DeliveryView | TurnView | MemberView | SessionView | AskView


@dataclass(frozen=True, slots=True)
class Frame:
    """One journal entry for a reader. `people` names those it is for alone; None means all who see the session.

    `about` is the message itself, or the one that a delivery belongs to.
    """

    seq: int
    kind: str
    body: Body
    people: frozenset[UUID] | None = None
    about: MessageView | None = None
