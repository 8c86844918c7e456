"""Sums up a seat's past by its own model: in a turn where rows would be left out, and between turns.

A summary is written at its end and at once, so whoever is killed on the way has lost a request and nothing else.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from uuid import UUID

from messaging.agents import compaction, context, naming, providers
from messaging.agents.compaction import Part
from messaging.agents.context import Digest, Line, Wish
from messaging.agents.providers.base import Provider, ProviderError
from messaging.agents.providers.guard import guarded
from messaging.domain.call import Spent
from messaging.mailbox import shown, summaries, usage
from messaging.mailbox.models import Seat, Summary

log = logging.getLogger(__name__)
#: Summaries made between two turns at most: whoever waits for this thread waits no longer than for these.
_AT_ONCE = 3


@dataclass(frozen=True, slots=True)
class Known:
    """What a seat's requests are built from: its summaries, and the rows past the last of them."""

    recaps: list[Summary]
    rows: shown.Stretch

    @classmethod
    def of(cls, seat: Seat, budget: int, back_to: int | None = None) -> Known:
        """As much as a request of that many bytes holds, and all from number `back_to` on."""
        recaps = summaries.told(seat)
        after = recaps[-1].last if recaps else 0
        return cls(recaps, shown.newest(seat, budget, after=after, back_to=back_to))

    def lines(self, seat: Seat) -> Sequence[Line]:
        """The rows, as they are summed up."""
        return context.digest_lines(seat, self.rows.heard, self.rows.said)


def sum_up(
    seat: Seat, provider: Provider, known: Known, lines: Sequence[Line], budget: int, look: Callable[[], None]
) -> bool:
    """Makes a summary of the oldest of the rows, `lines`; whether there is one now.

    look: called while the model is at work; what it raises ends that. A model that fails costs the summary alone.
    """
    made_from = {row.id for row in known.rows.rows if (row.number or 0) <= lines[-1].number}
    text = _made(seat, provider, lines, budget, look)
    return text is not None and _write(seat, 0, known.rows.first, lines[-1].number, text, made_from)


def tidy(seat: UUID, stopping: Callable[[], bool]) -> None:
    """Does between turns what is due: proposes a title, sums up what grew long, makes few of many, fills holes.

    stopping: whether the process is about to end. Repeating it does nothing; a model that fails costs nothing.
    """

    def look() -> None:
        if stopping():
            raise _Stopping

    row = Seat.objects.get(id=seat)
    with suppress(_Stopping, ProviderError):
        provider = providers.get(row.provider)
        budget = provider.budget(context.settings_of(row))
        if provider.digests:
            naming.propose(row, provider, look)
        for _ in range(_AT_ONCE if provider.digests else 0):
            if not _next(row, provider, budget, look):
                return


class _Stopping(Exception):
    """The process is about to end."""


def _next(seat: Seat, provider: Provider, budget: int, look: Callable[[], None]) -> bool:
    known = Known.of(seat, budget)
    lines = known.lines(seat)
    if compaction.is_long(lines, budget) and (old := compaction.older(lines, budget)):
        return sum_up(seat, provider, known, old, budget, look)
    parts = [Part(row.level, compaction.Stretch(row.first, row.last), row.id) for row in known.recaps]
    # Before the holes: while a long past is summed up, what every request brings stays few.
    if run := compaction.merge(parts):
        return _merge(seat, provider, known.recaps, run, budget, look)
    hole = compaction.gap(parts, seat.fresh_from)
    return hole is not None and _fill(seat, provider, hole, budget, look)


def _fill(seat: Seat, provider: Provider, hole: compaction.Stretch, budget: int, look: Callable[[], None]) -> bool:
    """Sums up the newest part of a hole, as much as one request holds."""
    rows = shown.newest(seat, budget // 2, after=hole.first - 1, until=hole.last)
    lines = context.digest_lines(seat, rows.heard, rows.said)
    # Of a stretch of which nothing may be told, that is what is kept.
    text = _made(seat, provider, lines, budget, look) if lines else ""
    return text is not None and _write(seat, 0, rows.first, hole.last, text, {row.id for row in rows.rows})


def _merge(
    seat: Seat,
    provider: Provider,
    recaps: Sequence[Summary],
    parts: Sequence[Part],
    budget: int,
    look: Callable[[], None],
) -> bool:
    ids = {part.id for part in parts}
    lines = [context.Recap(row.first, row.last, row.id, row.text) for row in recaps if row.id in ids and row.text]
    text = _made(seat, provider, lines, budget, look) if lines else ""
    first, last = parts[0].stretch.first, parts[-1].stretch.last
    return text is not None and _write(seat, parts[0].level + 1, first, last, text, ids)


def _made(seat: Seat, provider: Provider, lines: Sequence[Line], budget: int, look: Callable[[], None]) -> str | None:
    """What the model made of the lines; None where it made nothing."""
    most = compaction.most(budget)
    wanted = Digest(Wish.SUMMARY, seat.handle, seat.name, tuple(lines), most, context.settings_of(seat))
    bits: list[str] = []
    try:
        with closing(guarded(provider.digest(wanted), seat)) as said:
            for bit in said:
                look()
                if isinstance(bit, Spent):
                    usage.note(seat.id, usage.SUMMARY, bit.input_tokens, bit.output_tokens)
                elif isinstance(bit, str):
                    bits.append(bit)
    except ProviderError as failed:
        log.info("The past of seat %s was not summed up: %s", seat.id, failed.reason)
        return None
    return "".join(bits).strip().encode()[:most].decode(errors="ignore").replace("\x00", "") or None


def _write(seat: Seat, level: int, first: int, last: int, text: str, made_from: set[UUID]) -> bool:
    try:
        summaries.write(seat.id, level, first, last, text, made_from)
    except summaries.Outdated:
        log.info("A summary of seat %s was outdated before it was written", seat.id)
        return False
    return True
