"""Clears the next input of each seat of a session: rights are read now, as late as they can be."""

from __future__ import annotations

from uuid import UUID

from django.db import transaction

from messaging.actions.record import record
from messaging.domain.capability import Capability, Role
from messaging.domain.disposition import Disposition
from messaging.journal import clock as clocks
from messaging.journal.clock import Held
from messaging.mailbox import clear as mailbox
from messaging.mailbox import wake
from messaging.mailbox.models import Delivery, Seat, SeatKind
from messaging.mailbox.move import Move, move
from messaging.roster.models import Membership, Session


def clear(session: UUID) -> None:
    """Hands on what may be handed on in a session; rejects what may not be any more. Repeating it does nothing."""
    with transaction.atomic():
        held = clocks.lock([session]).get(session)
        if held is None:
            return
        ids = Seat.objects.filter(session=session, kind=SeatKind.HOSTED).values_list("id", flat=True)
        for seat in mailbox.lock(ids).values():
            _next(seat, held)


def _next(seat: Seat, held: Held) -> None:
    while (delivery := mailbox.next_input(seat.id)) is not None:
        reason = _refusal(seat, delivery)
        if not reason:
            mailbox.clear([delivery.id, *(row.id for row in mailbox.context_before(delivery))])
            wake.send(wake.Wake(seat.id))
            return
        wish = Move(delivery.id, Disposition.QUEUED, Disposition.REJECTED, "house", reason)
        record(held, move([wish], journaled=True))


def _refusal(seat: Seat, delivery: Delivery) -> str:
    """Why this input may not be handed over, or nothing."""
    session = Session.objects.get(id=seat.session)
    if not seat.open:
        return "seat_gone"
    if session.closed_at is not None:
        return "session_closed"
    role = _role(session, delivery)
    if role is None:
        return "not_member"
    return "" if Capability.POST_AGENT in session.granted(role) else "no_capability"


def _role(session: Session, delivery: Delivery) -> Role | None:
    """The author's role now; a disabled account or agent has none."""
    rows = Membership.objects.filter(session=session, left_at=None)
    if delivery.author_kind == "human":
        rows = rows.filter(person__handle__spelled=delivery.author).exclude(person__account__is_active=False)
    else:
        rows = rows.filter(agent__handle__spelled=delivery.author, agent__enabled=True)
    word = rows.values_list("role", flat=True).first()
    return Role(word) if word else None
