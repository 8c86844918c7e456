"""What agents said to a message, and what they are about to say: it may repeat what the message said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from messaging.domain.audience import AGENT_BOUND, Kind
from messaging.mailbox.models import Delivery, Purpose, Turn, Utterance
from messaging.mailbox.turns import at_work
from messaging.roster.access import Caller
from messaging.transcript import build
from messaging.transcript.models import Message


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers that stand, oldest first, and the turns at work on the message, whose answers are still to come."""

    said: Sequence[Message] = ()
    coming: Sequence[Turn] = ()

    def __bool__(self) -> bool:
        return bool(self.said or self.coming)

    @property
    def authors(self) -> list[str]:
        """What those are called who answered."""
        return list(dict.fromkeys(build.author(one).name for one in self.said))

    @property
    def at_work(self) -> list[str]:
        """What those are called who are about to."""
        return list(dict.fromkeys(turn.seat.name for turn in self.coming))

    def all_asked_by(self, who: Caller) -> bool:
        """Whether each of them answers a question of this person's own; what somebody only steered is another's."""
        asked = [(one.answers or one.reply_to) for one in self.said]
        ours = all(one is not None and one.person_id == who.id for one in asked)
        inputs = [turn.input for turn in self.coming]
        return ours and all((one.author, one.author_kind) == (who.handle, who.kind) for one in inputs)


def to(message: Message, *, heard: bool = False) -> Answers:
    """The answers to a message that the caller was given. `heard`: those alone that an agent may still be shown.

    Among them are an agent's later replies, and what it said in a turn that the message steered; not an agent's direct
    messages, which no agent hears and whose author alone takes them back.
    """
    taken = Delivery.objects.filter(message=message.id, purpose=Purpose.INPUT, delivered_at__isnull=False)
    turns = [turn for turn in taken.values_list("turn", flat=True) if turn is not None]
    about = Q(answers=message.id) | Q(reply_to=message.id) | Q(turn__in=turns)
    rows = build.joined(Message.objects.filter(about, session=message.session_id, author_kind="agent", deleted_at=None))
    rows = rows.exclude(audience=Kind.PEOPLE).select_related("person__handle", "agent__handle", "answers", "reply_to")
    said = list(rows.order_by("seq"))
    runs = at_work().filter(id__in=turns, seat__session=message.session_id).select_related("seat", "input")
    return Answers(_heard(said) if heard else said, list(runs.order_by("started_at", "id")))


def _heard(rows: Sequence[Message]) -> list[Message]:
    """Those that lie before agents, or in the memory of who said them."""
    kept = Utterance.objects.filter(message__in=[row.id for row in rows], withheld_at=None)
    remembered: set[UUID | None] = set(kept.values_list("message", flat=True))
    return [row for row in rows if row.audience in AGENT_BOUND or row.id in remembered]
