"""The answers that are being said right now: pieces of running turns, for those who will see the answer."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from messaging.domain.turn import TurnState
from messaging.mailbox.models import Utterance


@dataclass(frozen=True, slots=True)
class PieceView:
    """A stretch of a streamed answer. `n` is the last piece in it; a higher `attempt` starts the answer afresh."""

    turn: str
    agent: str
    input: str
    attempt: int
    n: int
    text: str


def of_session(session: UUID) -> list[PieceView]:
    """All that the session's running turns have said so far in their current attempt: for who joins midway."""
    rows = _pieces().filter(seat__session=session, turn__state=TurnState.RUNNING)
    return _joined([row for row in rows if row.turn and row.attempt == row.turn.attempts])


def of_turn(turn: UUID, attempt: int, n: int, last: int | None = None) -> list[PieceView]:
    """What a turn has said after piece `n` of `attempt`, up to piece `last`."""
    rows = _pieces().filter(turn=turn, attempt__gte=attempt)
    rows = rows if last is None else rows.filter(n__lte=last)
    return _joined([row for row in rows if (row.attempt, row.n) > (attempt, n)])


def _pieces() -> QuerySet[Utterance]:
    rows = Utterance.objects.filter(kind=Utterance.Kind.PIECE).select_related("turn__input", "seat")
    return rows.order_by("turn", "attempt", "n")


def _joined(rows: list[Utterance]) -> list[PieceView]:
    """One stretch for each turn and attempt."""
    stretches: dict[tuple[UUID, int], list[Utterance]] = {}
    for row in rows:
        if row.turn is not None:
            stretches.setdefault((row.turn.id, row.attempt), []).append(row)
    return [_view(turn, stretch) for (turn, _), stretch in stretches.items()]


def _view(turn: UUID, stretch: list[Utterance]) -> PieceView:
    last = stretch[-1]
    text = "".join(row.text for row in stretch)
    return PieceView(str(turn), last.seat.handle, _input(last), last.attempt, last.n, text)


def _input(row: Utterance) -> str:
    return str(row.turn.input.message) if row.turn else ""
