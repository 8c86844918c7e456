"""Ends running turns and takes back what waits behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from messaging.actions.end_turns import end_turns, lock_running
from messaging.actions.record import record
from messaging.actions.withdraw import withdraw
from messaging.journal.clock import Held
from messaging.mailbox.models import Purpose, Seat, SeatKind
from messaging.roster.access import Viewer

#: The seats whose turns are stopped.
HOSTED = Q(kind=SeatKind.HOSTED)


@dataclass(frozen=True, slots=True)
class Halted:
    """The turns that were ended, and how much input was taken back."""

    turns: Sequence[UUID]
    taken_back: int


def asked_by(who: Viewer, prefix: str = "") -> Q:
    """What somebody said to agents; with `input__`, the turns that work on it."""
    return Q(**{f"{prefix}author": who.handle, f"{prefix}author_kind": who.kind})


def halt(held: Held, who: Viewer, seats: Sequence[Seat], *, turns_of: Q, input_of: Q) -> Halted:
    """Ends the seats' running turns that are `turns_of`, and supersedes waiting input and steers that are `input_of`.

    Whatever else was to steer such a turn is too late. Call it with clock and seats locked.
    """
    ending = lock_running(seats, turns_of)
    taken_back = withdraw(Q(input_of, seat__in=seats, purpose=Purpose.INPUT), who.handle, "stopped")
    record(held, [step for _, step in taken_back])
    end_turns(held, ending, who.handle, "stopped")
    return Halted([turn.id for turn in ending], len(taken_back))
