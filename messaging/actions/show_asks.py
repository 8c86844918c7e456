"""Shows somebody what they are asked, and keeps on record where it was shown: there it may be answered."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from messaging.domain.ask import AskState, Surface
from messaging.roster.access import Viewer
from messaging.transcript import asks
from messaging.transcript.models import Ask, AskShown
from messaging.transcript.view import AskView

#: Asks that are shown at once.
MOST = 100


@transaction.atomic
def show_asks(
    who: Viewer, surface: Surface, *, only_open: bool = False, newest_first: bool = False, session: UUID | None = None
) -> list[AskView]:
    """What somebody is asked, open asks first, each with the newest first; all of them newest first where wished.

    session: what comes from there alone.
    """
    rows = asks.of(who, only_open=only_open)
    rows = rows if session is None else rows.filter(session=session)
    shown = list(rows.order_by("-made_at", "id")[:MOST] if newest_first else rows[:MOST])
    _note(shown, surface)
    return [asks.view(row) for row in shown]


def _note(rows: Sequence[Ask], surface: Surface) -> None:
    """Whoever shows the same at the same time has noted it as well."""
    fresh = [row for row in rows if row.state == AskState.OPEN]
    known = set(AskShown.objects.filter(ask__in=fresh, surface=surface).values_list("ask", flat=True)) if fresh else ()
    now = timezone.now()
    notes = [AskShown(ask=row, surface=surface, at=now) for row in fresh if row.id not in known]
    if notes:
        AskShown.objects.bulk_create(notes, ignore_conflicts=True)
