"""How a decided message comes to lie before agents: the one way for a post, a reclassification, a resend and an edit.

What is read is read first, what is written can travel with the rest of its batch.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.utils import timezone

from messaging.actions.compose import Composed
from messaging.actions.steering import Steering
from messaging.domain.audience import ActiveAgent, Agents, Everyone
from messaging.domain.dispatch import WITHIN, Origin
from messaging.domain.disposition import NEVER_SHOWN, Disposition
from messaging.domain.envelope import Envelope, FromKind
from messaging.mailbox import clear, wake
from messaging.mailbox.models import Delivery, Purpose, Seat, Transition
from messaging.mailbox.put import Letter, put
from messaging.transcript.models import Message


@dataclass(slots=True)
class Placed:
    """What one message put before agents."""

    deliveries: list[Delivery] = field(default_factory=list)
    steps: list[Transition] = field(default_factory=list)


def free_seats(ones: Sequence[Composed]) -> set[UUID]:
    """Hosted seats before which nothing waits: their next input is cleared as it is put. None while agents pause."""
    going = [one for one in ones if not one.room.paused]
    inputs = {seat.id for one in going for seat, purpose in one.seats if purpose == Purpose.INPUT}
    return {seat for seat in inputs if clear.free(seat)}


def letters(one: Composed, free: set[UUID]) -> list[Letter]:
    """A letter for each of its seats; of the free ones, each is taken from `free` by the first input for it."""
    audience = one.audience
    if not isinstance(audience, ActiveAgent | Agents | Everyone):
        return []
    parents, steering = _parents_had(one), one.steering or Steering()
    return [
        Letter(
            seat,
            one.id,
            audience,
            purpose,
            _envelope(one, threaded=seat.id in parents),
            one.draft.author.name,
            one.draft.text,
            one.said_at or one.now,
            cleared=steering.turn is not None or _clears(seat, purpose, free),
            re=parents.get(seat.id),
            at=one.now,
            revision=one.revision,
            by=one.by,
            steers=steering.turn,
            reason=steering.reason,
            late=steering.late,
            dispatch=one.draft.dispatch,
            consults=one.consults,
            origin=_nested(one),
        )
        for seat, purpose in one.seats
    ]


def charge_turns(one: Composed, mail: Sequence[Letter]) -> None:
    """Charges the turns that these letters of a message begin. What waits is charged when it is cleared."""
    for letter in mail:
        if letter.purpose == Purpose.INPUT and letter.cleared and letter.steers is None:
            one.room.books.charge(letter.seat.agent, one.now, turns=1)


def _nested(one: Composed) -> Origin:
    """Who is asked by another agent works within that one's turn."""
    deeper = one.draft.dispatch in WITHIN and one.draft.author.kind == "agent" and one.draft.turn is None
    return Origin(one.origin.hops, one.origin.depth + deeper, root=one.origin.root)


def _envelope(one: Composed, *, threaded: bool) -> Envelope:
    """Whom a reply is for is told to a seat that has the parent: to others it would tell of somebody's hidden words."""
    to = one.resolved.to if threaded else ()
    return Envelope(FromKind(one.draft.author.kind), one.draft.author.handle, to, one.draft.on_behalf_of)


def _clears(seat: Seat, purpose: Purpose, free: set[UUID]) -> bool:
    """Mail waits for nothing. The first input before a free seat is cleared, those behind it are not."""
    if purpose != Purpose.INPUT:
        return purpose == Purpose.MAIL
    cleared = seat.id in free
    free.discard(seat.id)
    return cleared


def _parents_had(one: Composed) -> dict[UUID, UUID]:
    """For each seat that has the parent in its own mailbox, or said it: its id. The others get no `re`."""
    if one.parent is None:
        return {}
    row = one.parent.row
    here = Delivery.objects.filter(message=row.id, seat__in=[seat for seat, _ in one.seats], withheld_at=None)
    had = set(here.exclude(state__in=NEVER_SHOWN).values_list("seat", flat=True))
    return {seat.id: row.id for seat, _ in one.seats if seat.id in had or seat.agent == row.agent_id}


def replacing(olds: Sequence[Delivery], row: Message, name: str, seats: Mapping[UUID, Seat]) -> list[Letter]:
    """A message's text as it is now, in the places of rows that were superseded for it. name: its author's.

    Made after they were, so that the trail tells it in this order.
    """
    audience, now = row.typed_audience, timezone.now()
    if not isinstance(audience, ActiveAgent | Agents | Everyone):
        return []
    return [
        Letter(
            seats[old.seat_id],
            old.message,
            audience,
            Purpose(old.purpose),
            Envelope(FromKind(old.author_kind), old.author, tuple(old.to), old.on_behalf_of),
            name,
            row.text,
            old.said_at,
            cleared=old.cleared_at is not None,
            re=old.re,
            at=now,
            revision=row.revision,
            place=old.place,
            steers=old.turn if old.state == Disposition.STEERING_REQUESTED else None,
            reason="edited",
            dispatch=old.dispatch,
            consults=old.consults,
            origin=Origin(old.hops, old.depth, root=old.root),
        )
        for old in olds
    ]


def put_letters(mail: Sequence[Letter]) -> dict[UUID, Placed]:
    """Puts the letters, under their seats' locks; what was put, by message."""
    placed: dict[UUID, Placed] = defaultdict(Placed)
    for delivery, made in put(mail) if mail else []:
        placed[delivery.message].deliveries.append(delivery)
        placed[delivery.message].steps.extend(made)
    return placed


def hand_over(placed: Iterable[Placed]) -> None:
    """Lets context go along with input that is cleared already, and wakes the hosted who have it.

    A turn that is steered is awake, and its context was read when it began.
    """
    for delivery in (delivery for one in placed for delivery in one.deliveries):
        if delivery.purpose == Purpose.INPUT and delivery.cleared_at and delivery.state == Disposition.QUEUED:
            clear.clear(row.id for row in clear.context_before(delivery))
            wake.send(wake.Wake(delivery.seat_id, delivery.seat.placement))
