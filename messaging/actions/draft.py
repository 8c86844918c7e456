"""What somebody wants to say, and what became of the wish. Every face builds a Draft; none does more."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from uuid import UUID

from messaging.domain.dispatch import Origin
from messaging.roster.access import Caller
from messaging.transcript.view import MessageView


class Refusal(Exception):
    """Nothing was stored; or, from status 500 on, nobody knows.

    `code` is the machine word, `detail` for people, `field` what to mend, if one. Of a 403 `capability` is what was
    lacking, `session` where.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        field: str = "",
        retry_after: int = 0,
        *,
        capability: str = "",
        session: UUID | None = None,
    ) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail, self.field, self.retry_after = status, code, detail, field, retry_after
        self.capability, self.session = capability, session

    @classmethod
    def hidden(cls) -> Refusal:
        """Absent and hidden alike."""
        return cls(404, "not_found", "There is nothing here.")

    @classmethod
    def unauthenticated(cls) -> Refusal:
        """The credential is good for nobody (any more)."""
        return cls(401, "not_authenticated", "Send a bearer token, or sign in.")

    @classmethod
    def unavailable(cls) -> Refusal:
        """The database is away, or was lost in the middle: whether something was stored is not known."""
        words = "The database does not answer. Try again, under the same client_key."
        return cls(503, "unavailable", words, retry_after=1)

    @classmethod
    def broken(cls) -> Refusal:
        """What nobody foresaw."""
        return cls(500, "broken", "Something broke here. Try again, under the same client_key.")

    @classmethod
    def shape(cls, field: str, detail: str, code: str = "invalid") -> Refusal:
        """A field that cannot be taken as it is."""
        return cls(422, code, f"{field} {detail}.", field)

    @classmethod
    def not_available(cls, field: str, detail: str) -> Refusal:
        """Named by the contract, not yet there."""
        return cls(422, "not_available", detail, field)


@dataclass(frozen=True, slots=True)
class Draft:
    """One wish to post. `said` is the audience as the client wrote it, None where it wrote none.

    `token` is the hash of the bearer token by which the author came in, where one did: it is looked at again as the
    draft is posted. The rest is the house's own: `turn` and `answers` of an answer that it collects, `origin` where
    that is known, `starts` whether it may start a turn, `charged` whether its author has paid for it already,
    `owner` whose a side session becomes that an agent opens in a turn, `carried` whether it was said before elsewhere,
    perhaps by an agent, whose words may be longer than a person's to an agent.
    """

    author: Caller
    session: str | UUID
    text: str
    said: str | list[str] | None = None
    dispatch: str = ""
    delivery: str = "queue"
    client_key: str | None = None
    reply_to: UUID | None = None
    on_behalf_of: str = ""
    mentions: list[str] = field(default_factory=list)
    source: dict[str, str] = field(default_factory=dict)
    turn: UUID | None = None
    answers: UUID | None = None
    token: str = ""
    origin: Origin | None = None
    starts: bool = True
    charged: bool = False
    owner: UUID | None = None
    carried: bool = False

    @property
    def digest(self) -> str:
        """What the client asked for, to tell a repeat from another request under the same key."""
        asked = [
            self.text,
            self.said,
            self.dispatch,
            self.delivery,
            str(self.reply_to),
            self.on_behalf_of,
            self.mentions,
            self.source,
        ]
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Posted:
    """The message as kept. `created` is False for a repeat of its client key."""

    message: MessageView
    created: bool


Outcome = Posted | Refusal
