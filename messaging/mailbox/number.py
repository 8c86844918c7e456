"""A seat's own gapless numbers, given when a row is first shown or said: they count nothing that it may not see."""

from __future__ import annotations

from collections.abc import Sequence

from messaging.mailbox.models import Delivery, Seat


def next_number(seat: Seat) -> int:
    """The seat's next number. Call it with the seat's row locked."""
    seat.shown += 1
    seat.save(update_fields=["shown"])
    return seat.shown


def number(seat: Seat, shown: Sequence[Delivery]) -> None:
    """Gives the rows that are being shown the seat's next numbers, in their order. Call it with the seat locked."""
    for row in shown:
        seat.shown += 1
        row.number = seat.shown
    Delivery.objects.bulk_update(shown, ["number"])
    seat.save(update_fields=["shown"])
