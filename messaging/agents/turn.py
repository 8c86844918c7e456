"""The runner: one attempt at one turn, from its claim to a clear end."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator
from contextlib import closing
from datetime import datetime

from messaging.agents import context, providers
from messaging.agents.providers.base import ProviderError
from messaging.mailbox import lease, say, shown
from messaging.mailbox.lease import Claim, LeaseLost
from messaging.mailbox.models import Delivery, Seat

log = logging.getLogger(__name__)
#: Seconds of silence after which the runner looks whether its turn was stopped or taken.
LOOK_EVERY = 1.0


class Interrupted(Exception):
    """The process is about to end."""


def run(claim: Claim, stopping: Callable[[], bool]) -> datetime | None:
    """Runs the attempt. The answer is when the next one is due, None where there is none.

    stopping: whether the process is about to end. Nothing is raised but what the database raises.
    """
    try:
        return _attempt(claim, stopping)
    except LeaseLost:
        # Stopped, or another's by now: whatever was said is not to be written.
        log.info("Turn %s is no longer held by its attempt %s", claim.turn, claim.n)
        return None


def _attempt(claim: Claim, stopping: Callable[[], bool]) -> datetime | None:
    speaker, watch = say.Speaker(claim), _Watch(claim)
    try:
        while _step(claim, stopping, speaker, watch):
            speaker.next_step()
    except ProviderError as failed:
        return say.fail(claim, failed.reason, failed.wait)
    except Interrupted:
        return say.fail(claim, "interrupted")
    except say.AnswerTooLong:
        return say.fail(claim, "answer_too_long")
    except say.NothingSaid:
        return say.fail(claim, "empty_answer")
    return None


def _step(claim: Claim, stopping: Callable[[], bool], speaker: say.Speaker, watch: _Watch) -> bool:
    """One model step, with a request of its own. The answer is whether another one follows."""
    seat = Seat.objects.get(id=claim.seat)
    request = _request(claim, seat)
    # Not where what steered the turn was taken back before it could be told.
    if request.is_open:
        _listen(seat, request, stopping, speaker, watch)
    return say.answer(claim, speaker.text)


def _listen(
    seat: Seat, request: context.Request, stopping: Callable[[], bool], speaker: say.Speaker, watch: _Watch
) -> None:
    """Streams what the provider says, piece by piece, and keeps the lease meanwhile."""
    with closing(_guarded(seat, request)) as bits:
        for bit in bits:
            if stopping():
                raise Interrupted
            watch.look()
            speaker.hear(bit)


def _request(claim: Claim, seat: Seat) -> context.Request:
    asked = Delivery.objects.only("message", "withheld_at").get(id=claim.input)
    said = [*shown.said(seat), *shown.steps(claim.turn, claim.n)]
    running = context.Running(claim.turn, asked.message, claim.n)
    request = context.build(seat, shown.heard(seat), said, running)
    if asked.withheld_at is not None or request.asked is None:
        raise ProviderError("withheld")
    return request


def _guarded(seat: Seat, request: context.Request) -> Generator[str, None, None]:
    """The provider's bits. One that breaks in an unforeseen way breaks its attempt, not the process."""
    try:
        yield from providers.get(seat.provider).stream(request)
    except (ProviderError, GeneratorExit):
        raise
    except Exception as fault:
        log.exception("The provider %s of seat %s is at fault", seat.provider, seat.id)
        raise ProviderError("agent_fault") from fault


class _Watch:
    """Keeps a living attempt's lease, and notices within a second when the turn is gone."""

    def __init__(self, claim: Claim, clock: Callable[[], float] = time.monotonic) -> None:
        self._claim = claim
        self._clock = clock
        self._looked = self._renewed = clock()

    def look(self) -> None:
        """Raises LeaseLost where the turn was stopped or taken."""
        now = self._clock()
        if now - self._renewed >= lease.RENEW_AFTER.total_seconds():
            lease.renew(self._claim)
            self._looked = self._renewed = now
        elif now - self._looked >= LOOK_EVERY:
            lease.check(self._claim)
            self._looked = now
