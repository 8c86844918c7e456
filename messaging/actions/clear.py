"""Clears the next input of each seat of a session: rights are read now, as late as they can be."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from messaging.actions import called, rights
from messaging.actions.record import record
from messaging.domain.actor import HOUSE
from messaging.domain.audience import Kind
from messaging.domain.budget import CODE
from messaging.domain.dispatch import WITHIN, Mode, Origin
from messaging.domain.disposition import Disposition
from messaging.journal import clock as clocks
from messaging.journal.clock import Held
from messaging.mailbox import clear as mailbox
from messaging.mailbox import wake
from messaging.mailbox.models import Delivery, Purpose, Seat, SeatKind
from messaging.mailbox.move import Move, move
from messaging.roster import budget
from messaging.roster.budget import Books
from messaging.roster.models import Agent, Installation, Session


def clear(session: UUID) -> None:
    """Hands on what may be handed on in a session; rejects what may not be any more. Repeating it does nothing."""
    with transaction.atomic():
        held = clocks.lock([session]).get(session)
        if held is not None:
            go_on(held)


def go_on(held: Held) -> None:
    """The same within a transaction that has locked the session's clock. While agents pause, everything stays put."""
    if Installation.paused_since() is not None:
        return
    ids = Seat.objects.filter(session=held.session, kind=SeatKind.HOSTED).values_list("id", flat=True)
    seats = mailbox.lock(ids).values()
    books = Books.holding(budget.of({seat.agent for seat in seats}))
    for seat in seats:
        _next(seat, held, books)
    books.close()


def _next(seat: Seat, held: Held, books: Books) -> None:
    """Clears the seat's next input, with the context that goes along; what may not be handed over is rejected."""
    while (delivery := mailbox.next_input(seat.id)) is not None:
        rows = [*mailbox.context_before(delivery), delivery]
        faults = _faults(seat, rows)
        now = timezone.now()
        if delivery.id not in faults and books.over(seat.agent, now):
            faults[delivery.id] = CODE
        wishes = [Move(row, Disposition.QUEUED, Disposition.REJECTED, HOUSE, reason) for row, reason in faults.items()]
        record(held, move(wishes, journaled=True))
        if delivery.id not in faults:
            books.charge(seat.agent, now, turns=1)
            mailbox.clear([row.id for row in rows if row.id not in faults])
            wake.send(wake.Wake(seat.id, seat.placement))
            return


def _faults(seat: Seat, rows: Sequence[Delivery]) -> dict[UUID, str]:
    """Why these rows may not be handed over, of those that may not."""
    session = Session.objects.get(id=seat.session)
    shut = _shut(seat, session)
    if shut:
        return {row.id: shut for row in rows}
    places = rights.places(seat.session, rows)
    found = {row.id: rights.fault(session, places, row) or _uncallable(seat, session, row) for row in rows}
    return {row: reason for row, reason in found.items() if reason}


def _uncallable(seat: Seat, session: Session, row: Delivery) -> str:
    """Why an input may not call its agent any more, or nothing."""
    if row.purpose != Purpose.INPUT:
        return ""
    by_name = row.audience == Kind.AGENTS and not row.consults
    mode = Mode(row.dispatch or Mode.FUTURE_TURN) if by_name else None
    # Its own depth is one more than that of the turn which asked.
    depth = row.depth - 1 if mode in WITHIN else row.depth
    return called.fault(seat, session, mode, Origin(row.hops, max(0, depth), called.asks(row)))


def _shut(seat: Seat, session: Session) -> str:
    """Why nothing at all may be handed over to a seat, or nothing."""
    if not seat.open:
        return "seat_gone"
    if session.closed_at is not None:
        return "session_closed"
    return "" if Agent.objects.filter(id=seat.agent, enabled=True).exists() else "not_available"
