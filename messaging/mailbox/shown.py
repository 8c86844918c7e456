"""What a seat was shown and has said: the only source of any model's context."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS

from messaging.domain.disposition import SHOWN
from messaging.mailbox.models import Delivery, Seat, ToolCall, Utterance

#: How many numbers the first look goes back.
FIRST_LOOK = 16


@dataclass(frozen=True, slots=True)
class Stretch:
    """What may be told of a seat's numbers `first` to `last`, both included, each kind in order."""

    first: int
    last: int
    heard: list[Delivery]
    said: list[Utterance]

    @property
    def rows(self) -> list[Delivery | Utterance]:
        """All of them, in no order."""
        return [*self.heard, *self.said]


def newest(seat: Seat, most: int, *, after: int = 0, until: int | None = None, back_to: int | None = None) -> Stretch:
    """The newest of what the seat was shown and said, past number `after` and up to `until` (or the newest of all).

    It looks back in growing steps and ends with the one in which the texts outgrow `most` bytes, so that it reads at
    most about twice what fits; but never before number `back_to`. Of an agent that was started afresh nothing older is
    read. What was taken back is left out.
    """
    floor, top = max(after, seat.fresh_from), seat.shown if until is None else until
    lower, size, spent = top, FIRST_LOOK, 0
    heard: list[Delivery] = []
    said: list[Utterance] = []
    while lower > floor and (spent <= most or (back_to is not None and lower >= back_to)):
        upper, lower = lower, max(floor, lower - size)
        here = _between(seat.id, lower, upper)
        heard, said = here[0] + heard, here[1] + said
        spent += _bytes(here[0]) + _bytes(here[1])
        size = _next_look(read=top - lower, spent=spent, most=most)
    _forget_unknown_parents(seat, heard, said)
    return Stretch(lower + 1, top, heard, said)


def _between(seat: UUID, lower: int, upper: int) -> tuple[list[Delivery], list[Utterance]]:
    numbered = {"seat": seat, "number__gt": lower, "number__lte": upper, "withheld_at": None}
    heard = Delivery.objects.filter(state__in=SHOWN, **numbered).order_by("number")
    said = Utterance.objects.filter(kind=Utterance.Kind.ANSWER, **numbered).order_by("number")
    return list(heard), list(said)


def _bytes(rows: Iterable[Delivery] | Iterable[Utterance]) -> int:
    return sum(len(row.text.encode()) for row in rows)


def _next_look(*, read: int, spent: int, most: int) -> int:
    """As far back as what is left should reach, were it like what was read; no further than was read already."""
    likely = (most - spent) * read // max(spent, 1) + 1
    return max(1, min(read, likely))


def _forget_unknown_parents(seat: Seat, heard: Sequence[Delivery], said: Sequence[Utterance]) -> None:
    """A reply names its parent, and whom it is for, before those alone who know the parent."""
    here = {row.message for row in heard} | {row.message for row in said}
    known = here | had(seat.id, [row.re for row in heard if row.re and row.re not in here])
    for row in heard:
        if row.re not in known:
            # Whom a reply is for tells who said its parent.
            row.re, row.to = None, []


def had(seat: UUID, messages: Sequence[UUID], using: str = DEFAULT_DB_ALIAS) -> set[UUID]:
    """Which of these messages the seat was shown, or said itself: what `re` may name before it."""
    if not messages:
        return set()
    own = {"seat": seat, "message__in": messages, "number__isnull": False}
    heard_ids = Delivery.objects.using(using).filter(withheld_at=None, **own).values_list("message", flat=True)
    said_ids = Utterance.objects.using(using).filter(withheld_at=None, **own).values_list("message", flat=True)
    return {one for one in (*heard_ids, *said_ids) if one is not None}


def steps(turn: UUID, attempt: int) -> list[Utterance]:
    """What a running turn has said so far in this attempt, step by step."""
    rows = Utterance.objects.filter(turn=turn, kind=Utterance.Kind.STEP, attempt=attempt)
    return list(rows.order_by("n"))


def calls(turn: UUID, attempt: int) -> list[ToolCall]:
    """What a running turn has called in this attempt, in order, each with `taken_back` set on it."""
    found = list(ToolCall.objects.filter(turn=turn, attempt=attempt).order_by("step", "n"))
    ids = {UUID(one) for row in found for one in row.rows}
    lost = set(Delivery.objects.filter(id__in=ids, withheld_at__isnull=False).values_list("id", flat=True))
    lost |= set(Utterance.objects.filter(id__in=ids, withheld_at__isnull=False).values_list("id", flat=True))
    for row in found:
        row.taken_back = any(UUID(one) in lost for one in row.rows)
    return found
