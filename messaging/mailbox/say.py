"""What a turn says and how it ends. Every write shows its claim; without the lease nothing is written."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta

from django.utils import timezone

from messaging.domain.reason import is_passing
from messaging.domain.text import MAX_TEXT_BYTES
from messaging.domain.turn import LONGEST_WAIT, TurnState, may_retry, pause
from messaging.mailbox import turns, wake
from messaging.mailbox.lease import Claim, writing
from messaging.mailbox.models import Attempt, Seat, Utterance
from messaging.mailbox.number import next_number

#: Seconds between two pieces of one turn: at most ten a second.
PIECE_EVERY = 0.1


class AnswerTooLong(Exception):
    """The answer outgrew what any text may hold."""


class Speaker:
    """Gathers what a model says and lets it out in pieces, not too many.

    Text is kept as it came until it is let out: half of a surrogate pair may find its other half.
    """

    def __init__(self, claim: Claim, clock: Callable[[], float] = time.monotonic) -> None:
        self._claim = claim
        self._clock = clock
        self._parts: list[str] = []
        self._unsaid: list[str] = []
        self._size = 0
        self._pieces = 0
        self._last = float("-inf")

    def hear(self, text: str) -> None:
        """Takes the next bit, and says what has gathered if it is time. Raises AnswerTooLong, LeaseLost."""
        if text:
            self._parts.append(text)
            self._unsaid.append(text)
            # As it would be stored: what replaces a NUL is longer than a NUL.
            self._size += len(_storable(text).encode())
        if self._size > MAX_TEXT_BYTES:
            raise AnswerTooLong
        if self._unsaid and self._clock() - self._last >= PIECE_EVERY:
            self._let_out()

    @property
    def text(self) -> str:
        """All that was said, in a form that every database and encoding can hold."""
        return _storable("".join(self._parts))

    def _let_out(self) -> None:
        self._pieces += 1
        piece(self._claim, self._pieces, _storable("".join(self._unsaid)))
        self._unsaid.clear()
        self._last = self._clock()


def piece(claim: Claim, n: int, text: str) -> None:
    """Writes the attempt's n-th piece and lets the house know. Raises LeaseLost."""
    with writing(claim):
        Utterance.objects.create(
            turn_id=claim.turn,
            seat_id=claim.seat,
            kind=Utterance.Kind.PIECE,
            attempt=claim.n,
            n=n,
            text=text,
            said_at=timezone.now(),
        )
        wake.send(wake.Piece(claim.session, claim.turn))


def answer(claim: Claim, text: str) -> None:
    """Says the whole answer and finishes the turn, in one. Raises LeaseLost."""
    with writing(claim, with_seat=True) as (turn, seat):
        now = timezone.now()
        Utterance.objects.create(
            turn=turn,
            seat_id=claim.seat,
            kind=Utterance.Kind.ANSWER,
            attempt=claim.n,
            n=1,
            text=text,
            number=_number(seat),
            said_at=now,
        )
        turns.end(turn, TurnState.FINISHED, now)
        wake.send(wake.Collect(claim.session))


def fail(claim: Claim, reason: str, wait: float | None = None) -> datetime | None:
    """Ends the attempt. The answer is when the next one is due; None where the turn has failed for good.

    wait: the seconds a provider asked for; one that asks for more than anybody waits for is not asked again.
    Raises LeaseLost.
    """
    with writing(claim) as (turn, _):
        now = timezone.now()
        acted = Attempt.objects.filter(turn=turn, acted=True).exists()
        passing = is_passing(reason) and not acted
        wake.send(wake.Collect(claim.session))
        patient = (wait or 0.0) <= LONGEST_WAIT
        if not (patient and may_retry(turn.attempts, retryable=passing, acted=acted)):
            turns.end(turn, TurnState.FAILED, now, reason=reason, retryable=passing)
            return None
        not_before = now + timedelta(seconds=pause(turn.attempts, wait))
        turns.put_off(turn, reason, not_before, now)
        return not_before


def _number(seat: Seat | None) -> int:
    if seat is None:
        raise TypeError("a number is given under the seat's lock")
    return next_number(seat)


def _storable(text: str) -> str:
    """Joins surrogate pairs that came in two bits; replaces lone ones and NUL, which no database takes."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\x00", "\ufffd")
