"""What a deed on a message is about: the message, its session and who does it, as they are under the session's lock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from messaging.actions.draft import Draft, Refusal
from messaging.actions.facts import Facts, Room, gather
from messaging.actions.record import record
from messaging.domain.audience import Audience, System
from messaging.domain.capability import Capability, needed
from messaging.journal import clock as clocks
from messaging.journal.models import Kind
from messaging.mailbox.models import Delivery, Transition
from messaging.roster import access
from messaging.roster.access import AgentCaller, Caller, Forbidden
from messaging.transcript import build, read
from messaging.transcript.models import Message
from messaging.transcript.view import MessageView

#: What one message may gather: texts, and rows before agents.
MOST_REVISIONS = 100
MOST_DELIVERIES = 400


@dataclass(frozen=True, slots=True)
class Subject:
    """A message that `who` may see, in a session whose clock and seats are locked until the transaction ends."""

    who: Caller
    row: Message
    room: Room
    facts: Facts

    @property
    def own(self) -> bool:
        """Whether who does it said it."""
        return self.who.id in (self.row.person_id, self.row.agent_id)

    def demand(self, capability: Capability) -> None:
        """Raises Forbidden where their role does not include it, or not for what others said."""
        access.demand(self.who, self.room.session, capability, own=self.own)

    def only_author(self, capability: Capability | None = None) -> None:
        """Raises Forbidden for anybody else. `capability`: what was asked for, if not to say it as its author does."""
        if not self.own:
            asked = capability or speaking(self.row.typed_audience)
            raise Forbidden("not_yours", "Only its author can do this.", asked, self.room.session.id)

    def must_stand(self, revision: int | None = None) -> None:
        """Raises Refusal (409) where it was deleted, or is not in the revision that was meant."""
        if self.row.deleted_at is not None:
            raise Refusal(409, "deleted", "This message was deleted.")
        if revision is not None and revision != self.row.revision:
            raise Refusal(409, "conflict", "It was edited meanwhile; look at it again.", "revision")

    def must_not_have_grown(self) -> None:
        """Raises Refusal (409) where it was changed or sent so often that all who read it would feel it."""
        often = Delivery.objects.filter(message=self.row.id)[:MOST_DELIVERIES].count() >= MOST_DELIVERIES
        if often or self.row.revision >= MOST_REVISIONS:
            raise Refusal(409, "too_often", "This message was changed or sent too often; write a new one.")

    def journal(self, kind: Kind, deed: UUID, steps: Sequence[Transition]) -> None:
        """The deed's number in the session, and those of the steps that follow from it."""
        clocks.append(self.room.clock, [(kind, deed)])
        record(self.room.clock, steps)

    def view(self) -> MessageView:
        """The message as it stands now."""
        return build.messages(build.joined(Message.objects.filter(id=self.row.id)))[0]


def speaking(audience: Audience) -> str:
    """The capability that an audience takes, by which a refusal is counted; none for what the server says alone."""
    return "" if isinstance(audience, System) else min(needed(audience))


def hold(who: Caller, message: str | UUID, token: str = "") -> Subject:
    """Locks as a post does (spending, clock, seats), then reads again what was read before. Call it in a transaction.

    token: the hash of the bearer token by which the caller came. Raises Hidden, or Refusal: 401 for a credential that
    has ended, 404 for a member who has gone.
    """
    order = Draft(who, _row(who, message).session_id, "", token=token)
    facts = gather([order])
    known = facts.authenticated(order)
    room = facts.room(known)
    return Subject(known.author, _row(known.author, message), room, facts)


def _row(who: Caller, message: str | UUID) -> Message:
    return read.said_by(who, message) if isinstance(who, AgentCaller) else read.row(who, message)
