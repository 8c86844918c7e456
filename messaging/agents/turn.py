"""The runner: one attempt at one turn, from its claim to a clear end."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import replace
from datetime import datetime

from messaging.agents import compaction, context, past, providers
from messaging.agents.past import Known
from messaging.agents.providers.base import Provider, ProviderError
from messaging.agents.providers.guard import guarded
from messaging.mailbox import lease, say, shown, summaries
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
    provider = providers.get(seat.provider)

    def look() -> None:
        if stopping():
            raise Interrupted
        watch.look()

    request = _request(claim, seat, provider, look)
    # Not where what steered the turn was taken back before it could be told.
    if request.is_open:
        _listen(guarded(provider.stream(request), seat), speaker, look)
    return say.answer(claim, speaker.text)


def _listen(answer: Generator[str, None, None], speaker: say.Speaker, look: Callable[[], None]) -> None:
    """Streams what the provider says, piece by piece, and keeps the lease meanwhile."""
    with closing(answer) as bits:
        for bit in bits:
            look()
            speaker.hear(bit)


def _request(claim: Claim, seat: Seat, provider: Provider, look: Callable[[], None]) -> context.Request:
    """What the model is given now. Where rows would have to be left out, the oldest of them are summed up first."""
    asked = Delivery.objects.only("message", "number", "withheld_at").get(id=claim.input)
    running = context.Running(claim.turn, asked.message, claim.n)
    budget = provider.budget(context.settings_of(seat))
    known = Known.of(seat, budget, back_to=asked.number)
    request = _build(seat, known, running)
    if asked.withheld_at is not None or request.asked is None:
        raise ProviderError("withheld")
    if provider.digests and compaction.overflows(request.lines, budget):
        old = compaction.older(known.lines(seat), budget, since=request.asked.number)
        if old and past.sum_up(seat, provider, known, old, budget, look):
            return _build(seat, replace(known, recaps=summaries.told(seat)), running)
    return request


def _build(seat: Seat, known: Known, running: context.Running) -> context.Request:
    said = [*known.rows.said, *shown.steps(running.turn, running.attempt)]
    return context.build(seat, known.rows.heard, said, running, known.recaps)


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
