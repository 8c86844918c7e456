"""Moves deliveries along the table: compare-and-set, in the plural, one row per step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import F
from django.utils import timezone

from messaging.domain.disposition import NEVER_SHOWN, TABLE, Disposition
from messaging.mailbox.models import Delivery, Transition


@dataclass(frozen=True, slots=True)
class Move:
    """A wish: this delivery, only if it is still in `before`, goes to `after`."""

    delivery: UUID
    before: Disposition
    after: Disposition
    by: str
    reason: str = ""
    retryable: bool = False
    turn: UUID | None = None


def move(moves: Sequence[Move], *, journaled: bool = False) -> list[Transition]:
    """Makes the moves that still can be made, and answers with their steps, in the order of `moves`.

    Call it inside a transaction. A delivery that is no longer in its `before` is left alone: its move
    lost a race, and its absence from the answer says so. Raises IllegalMove for what the table forbids.
    """
    for wish in moves:
        TABLE.check(wish.before, wish.after)
    now = timezone.now()
    rows = _locked(wish.delivery for wish in moves)
    winners = [wish for wish in moves if wish.delivery in rows and rows[wish.delivery].state == wish.before]
    steps = [_step(wish, rows[wish.delivery], now, journaled=journaled) for wish in winners]
    Transition.objects.bulk_create(steps)
    _write(winners, now)
    if journaled:
        forget_unheard(wish.delivery for wish in winners if wish.after in NEVER_SHOWN)
    return steps


def forget_unheard(deliveries: Iterable[UUID]) -> None:
    """Takes the text out of rows that ended without being shown: what no agent heard lies before none.

    The house alone may; of ends that agents made it does so as it journals them.
    """
    Delivery.objects.filter(id__in=list(deliveries), state__in=NEVER_SHOWN).exclude(text="").update(text="")


def _locked(ids: Iterable[UUID]) -> dict[UUID, Delivery]:
    rows = Delivery.objects.select_for_update(of=("self",), no_key=True).filter(id__in=list(ids)).order_by("id")
    return {row.id: row for row in rows.only("id", "state", "step")}


def _step(wish: Move, row: Delivery, now: datetime, *, journaled: bool) -> Transition:
    return Transition(
        delivery_id=wish.delivery,
        step=row.step + 1,
        before=wish.before,
        after=wish.after,
        by=wish.by,
        reason=wish.reason,
        retryable=wish.retryable,
        turn=wish.turn,
        at=now,
        journaled=journaled,
    )


def _write(winners: Sequence[Move], now: datetime) -> None:
    """One statement for each kind of move, whatever the number of rows."""
    kinds: dict[tuple[Disposition, Disposition, str, bool, UUID | None], list[UUID]] = defaultdict(list)
    for wish in winners:
        kinds[(wish.before, wish.after, wish.reason, wish.retryable, wish.turn)].append(wish.delivery)
    for (before, after, reason, retryable, turn), ids in kinds.items():
        changes = {"state": after, "step": F("step") + 1, "reason": reason, "retryable": retryable, "changed_at": now}
        changes |= {"turn": turn} if turn else {}
        changes |= {"delivered_at": now} if after is Disposition.DELIVERED else {}
        Delivery.objects.filter(id__in=ids, state=before).update(**changes)
