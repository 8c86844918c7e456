"""Rejects what waits before agents, for a right that is gone. Whatever an agent has been shown stays as it is."""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Q

from messaging.actions import rights
from messaging.actions.clear import go_on
from messaging.actions.record import record
from messaging.domain.actor import HOUSE
from messaging.domain.disposition import WAITING, Disposition
from messaging.journal.clock import Held
from messaging.mailbox import clear as mailbox
from messaging.mailbox.models import Delivery, Seat, Transition
from messaging.mailbox.move import Move, move
from messaging.roster.models import Session

ALL = Q()


def put_by(*handles: str) -> Q:
    """Undelivered rows that these people or agents have put there: what they said, or brought before an agent."""
    put = Transition.objects.filter(step=1, by__in=handles, delivery__state__in=WAITING)
    return Q(id__in=put.values("delivery"))


def reject(held: Held, reason: str, rows: Q = ALL) -> None:
    """Rejects those of a session's undelivered rows, or all of them, under its locked clock."""
    _reject(held, [(one, reason) for one in _waiting(held, rows)])


def reject_lost(held: Held, rows: Q = ALL) -> None:
    """Rejects those of a session's undelivered rows that who put them may not say any more, each for its reason.

    Call it once the right is gone, in the same transaction and under the session's locked clock.
    """
    session = Session.objects.get(id=held.session)
    waiting = _waiting(held, rows)
    places = rights.places(held.session, waiting)
    lost = [(one, rights.fault(session, places, one)) for one in waiting]
    _reject(held, [(one, reason) for one, reason in lost if reason])


def _waiting(held: Held, rows: Q) -> list[Delivery]:
    # The seats are locked first, so that no agent claims meanwhile.
    mailbox.lock(Seat.objects.filter(session=held.session).values_list("id", flat=True))
    return list(Delivery.objects.filter(rows, seat__session=held.session, state__in=WAITING))


def _reject(held: Held, rows: Iterable[tuple[Delivery, str]]) -> None:
    wishes = [
        Move(one.id, Disposition(one.state), Disposition.REJECTED, HOUSE, reason, turn=one.turn) for one, reason in rows
    ]
    steps = move(wishes, journaled=True)
    record(held, steps)
    if steps:
        go_on(held)
