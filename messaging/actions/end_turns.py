"""Ends running turns, at once: nobody waits for an agent to agree. What they would have said is not posted.

The agent's process learns of it by its lease, within a second, and hangs up on its model.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Q
from django.utils import timezone

from messaging.actions.asking import withdraw
from messaging.actions.record import count_turns, record
from messaging.domain.turn import TurnState
from messaging.journal import clock as clocks
from messaging.journal.clock import Held
from messaging.journal.models import Kind
from messaging.mailbox import clear as mailbox
from messaging.mailbox import turns
from messaging.mailbox.models import Seat, Turn


def lock_seats(held: Held, which: Q) -> list[Seat]:
    """These of the session's seats, locked: none of them begins or ends a turn meanwhile."""
    ids = Seat.objects.filter(which, session=held.session).values_list("id", flat=True)
    return list(mailbox.lock(ids).values())


def lock_running(seats: Sequence[Seat], which: Q) -> list[Turn]:
    """These of the turns that run at seats that are locked, locked, too: before any delivery is."""
    rows = Turn.objects.filter(which, seat__in=seats, state=TurnState.RUNNING)
    return list(rows.select_for_update(of=("self",), no_key=True).order_by("id"))


def end_turns(held: Held, rows: Sequence[Turn], by: str, reason: str) -> None:
    """Ends turns that `lock_running` has locked, and journals their ends under the session's locked clock.

    Whatever is still to steer one of them is too late, and what they asked somebody is taken back.
    """
    now = timezone.now()
    ends = [turns.end(row, TurnState.STOPPED, now, by=by, reason=reason, journaled=True) for row in rows]
    for ended in ends:
        clocks.append(held, [(Kind.TURN, ended.step.id)])
        record(held, ended.late)
    withdraw(held, [row.id for row in rows], by)
    count_turns([ended.step for ended in ends])
