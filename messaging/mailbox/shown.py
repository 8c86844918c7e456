"""What a seat was shown and has said: the only source of any model's context."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS

from messaging.domain.disposition import SHOWN
from messaging.mailbox.models import Delivery, Seat, Utterance

#: The newest rows of each kind that a request is built from.
NEWEST = 400


def heard(seat: Seat) -> list[Delivery]:
    """The newest rows that were shown to the seat and not taken back since, in the seat's own order.

    Of an agent that was started afresh, those shown since.
    """
    rows = Delivery.objects.filter(seat=seat, state__in=SHOWN, withheld_at=None, number__gt=seat.fresh_from)
    newest = list(reversed(rows.order_by("-number")[:NEWEST]))
    known = had(seat.id, [row.re for row in newest if row.re])
    for row in newest:
        if row.re not in known:
            # Whom a reply is for tells who said its parent.
            row.re, row.to = None, []
    return newest


def had(seat: UUID, messages: Sequence[UUID], using: str = DEFAULT_DB_ALIAS) -> set[UUID]:
    """Which of these messages the seat was shown, or said itself: what `re` may name before it."""
    if not messages:
        return set()
    own = {"seat": seat, "message__in": messages, "number__isnull": False}
    heard_ids = Delivery.objects.using(using).filter(withheld_at=None, **own).values_list("message", flat=True)
    said_ids = Utterance.objects.using(using).filter(withheld_at=None, **own).values_list("message", flat=True)
    return {one for one in (*heard_ids, *said_ids) if one is not None}


def said(seat: Seat) -> list[Utterance]:
    """The seat's newest answers that were not taken back, in its own order; since it was started afresh."""
    rows = Utterance.objects.filter(seat=seat, kind=Utterance.Kind.ANSWER, withheld_at=None)
    return list(reversed(rows.filter(number__gt=seat.fresh_from).order_by("-number")[:NEWEST]))


def steps(turn: UUID, attempt: int) -> list[Utterance]:
    """What a running turn has said so far in this attempt, step by step."""
    rows = Utterance.objects.filter(turn=turn, kind=Utterance.Kind.STEP, attempt=attempt)
    return list(rows.order_by("n"))
