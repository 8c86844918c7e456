"""The agent claims: the oldest cleared input of a seat and the context before it, or a turn left behind.

All is committed before any model request opens, so that what may have reached a model is on record.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from messaging.domain.actor import AGENTS
from messaging.domain.disposition import Disposition
from messaging.domain.reason import is_passing
from messaging.domain.turn import TurnState, may_retry
from messaging.mailbox import calls, steer, turns, wake
from messaging.mailbox.lease import Claim
from messaging.mailbox.models import Attempt, Delivery, Purpose, Seat, SeatKind, Turn
from messaging.mailbox.move import Move, move
from messaging.mailbox.number import number


def claim(seat: UUID, placement: str | None = None) -> Claim | None:
    """The next thing for this hosted seat to do, held by a fresh lease; None where nothing is to do now.

    placement: that of the process that asks, for which others' seats have nothing to do; None: it serves all.
    """
    with transaction.atomic():
        # The seat's lock comes before everything: two claims of one seat are one after the other.
        row = Seat.objects.select_for_update(no_key=True).filter(id=seat, kind=SeatKind.HOSTED).first()
        if row is None or placement not in (None, row.placement):
            return None
        running = Turn.objects.filter(seat=row, state=TurnState.RUNNING)
        turn = running.select_for_update(of=("self",), no_key=True).first()
        return _begin(row, timezone.now()) if turn is None else _take_over(row, turn, timezone.now())


def due(placement: str | None = None) -> list[UUID]:
    """Seats with something to claim, whoever forgot to say so: waiting input, dead workers, tries put off.

    placement: of these seats alone; None: of all.
    """
    now = timezone.now()
    running = Turn.objects.filter(state=TurnState.RUNNING)
    left = running.filter(Q(lease_until__lte=now) | Q(lease_owner=None, not_before__lte=now))
    waiting = Delivery.objects.filter(seat__kind=SeatKind.HOSTED, seat__open=True, purpose=Purpose.INPUT)
    waiting = _cleared(waiting).exclude(seat__in=running.values("seat"))
    if placement is not None:
        left, waiting = left.filter(seat__placement=placement), waiting.filter(seat__placement=placement)
    seats = [*left.values_list("seat_id", flat=True), *waiting.values_list("seat_id", flat=True)]
    return list(dict.fromkeys(seats))


def _cleared(rows: QuerySet[Delivery]) -> QuerySet[Delivery]:
    return rows.filter(state=Disposition.QUEUED, cleared_at__isnull=False, withheld_at=None)


def _begin(seat: Seat, now: datetime) -> Claim | None:
    waiting = _cleared(Delivery.objects.filter(seat=seat)).order_by("place")
    first = waiting.filter(purpose=Purpose.INPUT).first() if seat.open else None
    if first is None:
        return None
    turn = uuid4()
    context = list(waiting.filter(purpose=Purpose.CONTEXT, place__lt=first.place))
    if not _deliver(seat, [*context, first], turn, first.id):
        # A withdrawal was faster; whatever waits behind it is found when the house wakes the seat again.
        transaction.set_rollback(True)
        return None
    return _attempt(seat, turns.begin(turn, first, now), now)


def _deliver(seat: Seat, rows: list[Delivery], turn: UUID, wanted: UUID) -> bool:
    """Moves the rows and numbers those that could be moved; answers whether the wanted one is among them."""
    before, after = Disposition.QUEUED, Disposition.DELIVERED
    wishes = [Move(row.id, before, after, AGENTS, turn=turn) for row in rows]
    moved = {step.delivery_id for step in move(wishes)}
    number(seat, [row for row in rows if row.id in moved])
    return wanted in moved


def _take_over(seat: Seat, turn: Turn, now: datetime) -> Claim | None:
    if turn.lease_until is not None and turn.lease_until > now:
        return None
    if turn.lease_owner is None and turn.not_before is not None and turn.not_before > now:
        return None
    if turn.parked_at is not None and turn.not_before is None:
        return None
    reason = _hindrance(seat, turn)
    if reason:
        retryable = is_passing(reason) and not _acted(turn)
        turns.end(turn, TurnState.FAILED, now, reason=reason, retryable=retryable)
        wake.send(wake.Collect(seat.session))
        return None
    if turn.parked_at is not None:
        return _resume(seat, turn, now)
    if turn.lease_owner is not None:
        turns.put_off(turn, "interrupted", now, now)
    # Whoever steered meanwhile is heard from the new attempt's first step on.
    steer.take(turn, seat, AGENTS)
    return _attempt(seat, turn, now)


def _resume(seat: Seat, turn: Turn, now: datetime) -> Claim | None:
    """A parked turn goes on once all that it called is settled, with whoever steered it meanwhile."""
    wake.send(wake.Collect(seat.session))
    if not calls.take(seat, turn):
        turns.park(turn, now)
        return None
    steer.take(turn, seat, AGENTS)
    tried = turns.resume(turn, now)
    return Claim(turn.id, seat.id, seat.session, turn.input_id, tried.id, tried.n, resumed=True)


def _hindrance(seat: Seat, turn: Turn) -> str:
    """Why a turn that was left behind is not tried again; empty if it is."""
    if not seat.open:
        return "seat_gone"
    if turn.input.withheld_at is not None:
        return "withheld"
    died = turn.lease_owner is not None
    return "interrupted" if died and not may_retry(turn.attempts, retryable=True, acted=_acted(turn)) else ""


def _acted(turn: Turn) -> bool:
    return Attempt.objects.filter(turn=turn, acted=True).exists()


def _attempt(seat: Seat, turn: Turn, now: datetime) -> Claim:
    tried = turns.attempt(turn, now)
    wake.send(wake.Collect(seat.session))
    return Claim(turn.id, seat.id, seat.session, turn.input_id, tried.id, tried.n)
