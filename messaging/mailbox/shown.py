"""What a seat was shown and has said: the only source of any model's context."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS

from messaging.domain.disposition import SHOWN
from messaging.mailbox.models import Delivery, Utterance

#: The newest rows of each kind that a request is built from.
NEWEST = 400


def heard(seat: UUID) -> list[Delivery]:
    """The newest rows that were shown to the seat and not taken back since, in the seat's own order."""
    rows = Delivery.objects.filter(seat=seat, state__in=SHOWN, withheld_at=None, number__isnull=False)
    newest = list(reversed(rows.order_by("-number")[:NEWEST]))
    known = had(seat, [row.re for row in newest if row.re])
    for row in newest:
        row.re = row.re if row.re in known else None
    return newest


def had(seat: UUID, messages: Sequence[UUID], using: str = DEFAULT_DB_ALIAS) -> set[UUID]:
    """Which of these messages the seat was shown, or said itself: what `re` may name before it."""
    if not messages:
        return set()
    own = {"seat": seat, "message__in": messages, "number__isnull": False}
    heard_ids = Delivery.objects.using(using).filter(withheld_at=None, **own).values_list("message", flat=True)
    said_ids = Utterance.objects.using(using).filter(**own).values_list("message", flat=True)
    return {one for one in (*heard_ids, *said_ids) if one is not None}


def said(seat: UUID) -> list[Utterance]:
    """The seat's newest answers, in its own order."""
    rows = Utterance.objects.filter(seat=seat, kind=Utterance.Kind.ANSWER, number__isnull=False)
    return list(reversed(rows.order_by("-number")[:NEWEST]))
