"""Seats and what lies before them, made the way the house makes them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from django.db import transaction
from django.utils import timezone

from messaging.domain.audience import ActiveAgent, AgentBound, Everyone
from messaging.domain.disposition import Disposition
from messaging.domain.envelope import Envelope, FromKind
from messaging.domain.turn import TurnState
from messaging.mailbox import lease, turns
from messaging.mailbox.models import Delivery, Purpose, Seat, SeatKind, Turn
from messaging.mailbox.move import Move, move
from messaging.mailbox.put import Letter, put


def mirror(**fields: Any) -> Seat:
    """A hosted seat in a session of its own."""
    known = {
        "session": uuid4(),
        "agent": uuid4(),
        "handle": "mirror",
        "name": "Mirror",
        "kind": SeatKind.HOSTED,
    }
    return Seat.objects.create(**(known | {"provider": "mirror"} | fields))


def told(seat: Seat, text: str, *, purpose: Purpose = Purpose.INPUT, cleared: bool = True, **fields: Any) -> Delivery:
    """A message from Alex before the seat."""
    audience: AgentBound = ActiveAgent() if purpose is Purpose.INPUT else Everyone()
    with transaction.atomic():
        row = Seat.objects.select_for_update(no_key=True).get(id=seat.id)
        known: dict[str, Any] = {"author_name": "Alex", "said_at": timezone.now(), "message": uuid4()}
        envelope = Envelope(FromKind.HUMAN, "alex", to=("mirror",))
        letter = Letter(
            seat=row, audience=audience, purpose=purpose, envelope=envelope, text=text, cleared=cleared,
            **(known | fields),
        )  # fmt: skip
        [(delivery, _)] = put([letter])
    return delivery


def aside(seat: Seat, text: str, **fields: Any) -> Delivery:
    """A message to everyone, which goes along with the next input."""
    return told(seat, text, purpose=Purpose.CONTEXT, **fields)


def steers(turn: UUID, text: str, **fields: Any) -> Delivery:
    """A message into a running turn."""
    return told(Turn.objects.get(id=turn).seat, text, steers=turn, **fields)


def withdraw(delivery: Delivery) -> bool:
    """What a person does who takes back what was not heard yet. Whether it came in time."""
    with transaction.atomic():
        before = Disposition.STEERING_REQUESTED if delivery.state == "steering_requested" else Disposition.QUEUED
        return bool(move([Move(delivery.id, before, Disposition.SUPERSEDED, by="alex", reason="withdrawn")]))


def stop(turn: UUID) -> None:
    """What a person does who stops a running turn."""
    with transaction.atomic():
        lease.lock_seat(Turn.objects.values_list("seat", flat=True).get(id=turn))
        row = Turn.objects.select_for_update(of=("self",), no_key=True).get(id=turn)
        turns.end(row, TurnState.STOPPED, timezone.now(), by="alex", reason="stopped")


def lease_runs_out(turn: UUID) -> None:
    """What time does to the turn of a worker that was killed."""
    Turn.objects.filter(id=turn).update(lease_until=timezone.now() - timedelta(seconds=1))


def backoff_passes(turn: UUID) -> None:
    """What time does to a turn that waits for its next attempt."""
    Turn.objects.filter(id=turn, not_before__isnull=False).update(not_before=timezone.now())
