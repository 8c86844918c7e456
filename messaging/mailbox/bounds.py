"""How much may wait before a seat (decisions, "Bounds")."""

from __future__ import annotations

from messaging.domain.disposition import WAITING
from messaging.mailbox.models import Delivery, Purpose, Seat, SeatKind

HOSTED_INPUTS = 16
CONNECTED_INBOX = 10_000


def is_full(seat: Seat, coming: int = 0) -> bool:
    """Whether nothing more may be put before the seat, `coming` rows included; context does not count."""
    waiting = Delivery.objects.filter(seat=seat, state__in=WAITING).exclude(purpose=Purpose.CONTEXT)
    bound = HOSTED_INPUTS if seat.kind == SeatKind.HOSTED else CONNECTED_INBOX
    return waiting[:bound].count() + coming >= bound
