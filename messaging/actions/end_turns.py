"""Ends running turns because a session, or an agent, is closed: what they would have said is not posted."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from messaging.actions.record import record
from messaging.domain.turn import TurnState
from messaging.journal import clock as clocks
from messaging.journal import metrics
from messaging.journal.clock import Held
from messaging.journal.models import Kind
from messaging.mailbox import clear as mailbox
from messaging.mailbox import turns
from messaging.mailbox.models import Seat, Turn


def lock_running(held: Held, seats: Q) -> list[Turn]:
    """The running turns of these seats of a session, seats and turns locked in this order: before any delivery is."""
    ids = Seat.objects.filter(seats, session=held.session).values_list("id", flat=True)
    locked = mailbox.lock(ids)
    rows = Turn.objects.select_for_update(of=("self",), no_key=True).filter(seat__in=locked, state=TurnState.RUNNING)
    return list(rows.order_by("id"))


def end_turns(held: Held, rows: Sequence[Turn], by: str, reason: str) -> None:
    """Ends turns that `lock_running` has locked, and journals their ends under the session's locked clock."""
    now = timezone.now()
    for row in rows:
        ended = turns.end(row, TurnState.STOPPED, now, by=by, reason=reason, journaled=True)
        clocks.append(held, [(Kind.TURN, ended.step.id)])
        record(held, ended.late)
    transaction.on_commit(lambda: metrics.turns.labels(TurnState.STOPPED).inc(len(rows)), robust=True)
