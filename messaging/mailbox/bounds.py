"""How much may be asked of agents, and whether so much waits before a seat (decisions, "Bounds")."""

from __future__ import annotations

from django.conf import settings

from messaging.domain.disposition import WAITING
from messaging.domain.limit import Limits
from messaging.mailbox.models import Delivery, Purpose, Seat, SeatKind


def limits() -> Limits:
    """The bounds of this installation: the one door to what its operator has set. In the house alone."""
    found: Limits = settings.LIMITS
    return found


def is_full(seat: Seat, coming: int = 0) -> bool:
    """Whether nothing more may be put before the seat, `coming` rows included; context does not count."""
    bound = limits().hosted_inputs if seat.kind == SeatKind.HOSTED else limits().connected_inbox
    if seat.placed + coming < bound:
        # Fewer were ever put there; to count a long inbox at each post would cost more than the post.
        return False
    waiting = Delivery.objects.filter(seat=seat, state__in=WAITING).exclude(purpose=Purpose.CONTEXT)
    return waiting[:bound].count() + coming >= bound
