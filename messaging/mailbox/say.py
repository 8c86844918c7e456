"""What a turn says, step by step, and its end. Every write shows its claim; without the lease nothing is written."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db.models import QuerySet
from django.utils import timezone

from messaging.domain.actor import AGENTS
from messaging.domain.reason import is_passing
from messaging.domain.text import MAX_TEXT_BYTES
from messaging.domain.turn import LONGEST_WAIT, MAX_STEPS, TurnState, Window, may_retry, pause
from messaging.mailbox import steer, turns, wake
from messaging.mailbox.lease import Claim, writing
from messaging.mailbox.models import Attempt, Seat, Turn, Utterance
from messaging.mailbox.number import next_number

#: Seconds between two pieces of one turn: at most ten a second.
PIECE_EVERY = 0.1
#: Between what two model steps said.
BETWEEN = "\n\n"


class AnswerTooLong(Exception):
    """The answer outgrew what any text may hold."""


class NothingSaid(Exception):
    """The turn is at its end, and no word was said in it."""


class Speaker:
    """Gathers what a model says in its steps and lets it out in pieces, not too many.

    Text is kept as it came until it is let out: half of a surrogate pair may find its other half. The pieces of an
    attempt are one text, with a blank line between its steps.
    """

    def __init__(self, claim: Claim, clock: Callable[[], float] = time.monotonic) -> None:
        self._claim = claim
        self._clock = clock
        self._parts: list[str] = []
        self._unsaid: list[str] = []
        self._size = 0
        self._before = ""
        self._pieces = 0
        self._last = float("-inf")
        if claim.resumed:
            self._go_on()

    def _go_on(self) -> None:
        """The attempt was parked: its pieces are counted on, and what it has said so far takes room already."""
        pieces = Utterance.objects.filter(turn=self._claim.turn, kind=Utterance.Kind.PIECE, attempt=self._claim.n)
        self._pieces = pieces.count()
        self._size = sum(len((BETWEEN + row.text).encode()) for row in steps(self._claim) if row.text.strip())
        self._before = BETWEEN if self._size else ""

    def hear(self, text: str) -> None:
        """Takes the next bit, and says what has gathered if it is time. Raises AnswerTooLong, LeaseLost."""
        if text:
            self._parts.append(text)
            self._unsaid.append(self._before + text)
            # As it would be stored: what replaces a NUL is longer than a NUL.
            self._size += len(self._before) + len(storable(text).encode())
            self._before = ""
        if self._size > MAX_TEXT_BYTES:
            raise AnswerTooLong
        if self._unsaid and self._clock() - self._last >= PIECE_EVERY:
            self._let_out()

    @property
    def text(self) -> str:
        """All that was said in this step, in a form that every database and encoding can hold."""
        return storable("".join(self._parts))

    def next_step(self) -> None:
        """What comes now belongs to the next step."""
        self._before = BETWEEN if self._size else ""
        self._parts.clear()

    def _let_out(self) -> None:
        self._pieces += 1
        piece(self._claim, self._pieces, storable("".join(self._unsaid)))
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


def answer(claim: Claim, text: str) -> bool:
    """Ends a model step with its whole text. The answer is whether the turn goes on, with another step.

    It does where people steer it: they are heard, and the text is kept. Where nobody does, or no step is left, all that
    the attempt's steps said is its answer and the turn is finished, in the same transaction: a steer is in the turn or
    too late. Raises LeaseLost, or NothingSaid where there would be no word in the answer; then nothing is written.
    """
    with writing(claim, with_seat=True) as (turn, seat):
        if seat is None:
            raise TypeError("a step ends under the seat's lock")
        ended = list(steps(claim).order_by("n"))
        shown = seat.shown
        goes_on = len(ended) + 1 < MAX_STEPS and bool(steer.take(turn, seat, AGENTS))
        if goes_on:
            keep(claim, text, n=len(ended) + 1, after=shown)
            close_window(turn, taken=len(ended) + 1)
        else:
            _finish(claim, turn, seat, BETWEEN.join(one for one in (*(row.text for row in ended), text) if one.strip()))
        wake.send(wake.Collect(claim.session))
    return goes_on


def steps(claim: Claim) -> QuerySet[Utterance]:
    """The model steps that this attempt has ended."""
    return Utterance.objects.filter(turn=claim.turn, kind=Utterance.Kind.STEP, attempt=claim.n)


def keep(claim: Claim, text: str, n: int, after: int) -> None:
    """The n-th model step of this attempt. after: the seat's last number before the steers that follow it."""
    Utterance.objects.create(
        turn_id=claim.turn,
        seat_id=claim.seat,
        kind=Utterance.Kind.STEP,
        attempt=claim.n,
        n=n,
        text=text,
        after=after,
        said_at=timezone.now(),
    )


def close_window(turn: Turn, taken: int) -> None:
    """The last step takes no steering: whoever comes after it has begun is told so at once."""
    if taken + 1 == MAX_STEPS:
        turn.window = Window.CLOSING
        turn.save(update_fields=["window"])


def _finish(claim: Claim, turn: Turn, seat: Seat, text: str) -> None:
    if not text:
        raise NothingSaid
    now = timezone.now()
    Utterance.objects.create(
        turn=turn,
        seat=seat,
        kind=Utterance.Kind.ANSWER,
        attempt=claim.n,
        n=1,
        text=text,
        number=next_number(seat),
        said_at=now,
    )
    turns.end(turn, TurnState.FINISHED, now)


def fail(claim: Claim, reason: str, wait: float | None = None) -> datetime | None:
    """Ends the attempt. The answer is when the next one is due; None where the turn has failed for good.

    wait: the seconds a provider asked for; one that asks for more than anybody waits for is not asked again.
    Raises LeaseLost.
    """
    # The seat's lock keeps out whoever is about to steer: once the turn has ended, nobody may be left waiting for it.
    with writing(claim, with_seat=True) as (turn, _):
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


def storable(text: str) -> str:
    """Joins surrogate pairs that came in two bits; replaces lone ones and NUL, which no database takes."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\x00", "\ufffd")
