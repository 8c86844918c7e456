"""The runner: one attempt at one turn, from its claim to a clear end."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from messaging.agents import compaction, context, past, providers, tools
from messaging.agents.context import Called
from messaging.agents.past import Known
from messaging.agents.providers.base import Bit, Provider, ProviderError
from messaging.agents.providers.guard import guarded
from messaging.agents.tools.kit import Kit
from messaging.agents.watch import Interrupted, Watch
from messaging.domain.ask import APPROVAL
from messaging.domain.call import MAX_RESULT, Call, CallState, Spent, bounded, needs_word
from messaging.domain.dispatch import Mode
from messaging.domain.turn import MAX_STEPS
from messaging.mailbox import calls, say, shown, summaries, usage
from messaging.mailbox.lease import Claim, LeaseLost
from messaging.mailbox.models import Delivery, Seat
from messaging.mailbox.owners import works_for_owner

log = logging.getLogger(__name__)
#: The part of a request's budget that all results of an attempt may take, and the bytes that one always has.
_RESULTS, _LEAST_RESULT = 2, 64


class _Parked(Exception):
    """The attempt waits for the house, and holds nothing any more."""


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
    speaker, look = say.Speaker(claim), Watch(claim, stopping).look
    seat = Seat.objects.get(id=claim.seat)
    try:
        with closing(Kit(seat, look, lambda own: works_for_owner(own, Delivery.objects.get(id=claim.input)))) as kit:
            if claim.resumed:
                _do_approved(claim, kit, look)
            while _step(claim, kit, speaker, look):
                speaker.next_step()
    except _Parked:
        return None
    except ProviderError as failed:
        return say.fail(claim, failed.reason, failed.wait)
    except Interrupted:
        return say.fail(claim, "interrupted")
    except say.AnswerTooLong:
        return say.fail(claim, "answer_too_long")
    except say.NothingSaid:
        return say.fail(claim, "empty_answer")
    return None


def _step(claim: Claim, kit: Kit, speaker: say.Speaker, look: Callable[[], None]) -> bool:
    """One model step, with a request of its own. The answer is whether another one follows."""
    seat = Seat.objects.get(id=claim.seat)
    provider = providers.get(seat.provider)
    if first := _asked_to_consult(claim):
        # Its author's wish, and not its model's: no tool of the agent's own is used for it.
        calls.park(claim, {row.id: "" for row in calls.begin(claim, "", [first], acts=True)})
        raise _Parked
    request = _request(claim, seat, provider, kit, look)
    # Not where what steered the turn was taken back before it could be told.
    wanted = _listen(claim, guarded(provider.stream(request), seat), speaker, look) if request.is_open else []
    if not wanted:
        return say.answer(claim, speaker.text)
    if request.must_answer:
        raise ProviderError("provider_nonsense")
    used = sum(context.cost(line) for line in request.lines if isinstance(line, Called))
    _call(claim, kit, speaker.text, wanted, _Room(provider.budget(context.settings_of(seat)), used), look)
    return True


def _listen(
    claim: Claim, answer: Generator[Bit, None, None], speaker: say.Speaker, look: Callable[[], None]
) -> list[Call]:
    """Streams what the provider says, piece by piece, and keeps the lease meanwhile. What it calls is the answer."""
    wanted: list[Call] = []
    with closing(answer) as bits:
        for bit in bits:
            look()
            if isinstance(bit, Call):
                wanted.append(bit)
            elif isinstance(bit, Spent):
                usage.note(
                    claim.seat, usage.ANSWER, bit.input_tokens, bit.output_tokens, turn=claim.turn, attempt=claim.n
                )
            else:
                speaker.hear(bit)
    return wanted


class _Room:
    """The bytes that what comes of calls may still take in the next request."""

    def __init__(self, budget: int, used: int) -> None:
        self._left = budget // _RESULTS - used

    def take(self, text: str) -> str:
        """As much of a result as there is room for."""
        result = bounded(text, max(_LEAST_RESULT, min(MAX_RESULT, self._left)))
        self._left -= len(result.encode())
        return result


def _call(claim: Claim, kit: Kit, text: str, wanted: Sequence[Call], room: _Room, look: Callable[[], None]) -> None:
    """Runs what a step calls, one after the other: each is on record before it begins."""
    # A model may take minutes, and what the agent may do be changed meanwhile.
    seat = Seat.objects.get(id=claim.seat)
    rows = calls.begin(claim, text, wanted, acts=kit.acts(seat, wanted))
    waiting: dict[UUID, str] = {}
    for n, (row, call) in enumerate(zip(rows, wanted, strict=True)):
        look()
        seat = Seat.objects.get(id=claim.seat)
        try:
            # It is held against the policy before anybody is asked for it.
            kit.check(seat, call, n)
            unapproved = needs_word(seat.policy, call.name)
            given = None if unapproved else kit.run(seat, call, n)
        except tools.Failed as failed:
            calls.end(claim, row, CallState.FAILED, str(failed), reason=failed.reason)
            continue
        if given is None:
            waiting[row.id] = APPROVAL if unapproved else ""
        else:
            calls.end(claim, row, CallState.DONE, room.take(given.text), given.rows)
    if waiting:
        calls.park(claim, waiting)
        raise _Parked
    calls.boundary(claim)


def _do_approved(claim: Claim, kit: Kit, look: Callable[[], None]) -> None:
    """Runs the calls for which the attempt was parked and that somebody has approved: each once, as it was approved."""
    seat = Seat.objects.get(id=claim.seat)
    used = sum(len(row.result.encode()) for row in shown.calls(claim.turn, claim.n))
    room = _Room(providers.get(seat.provider).budget(context.settings_of(seat)), used)
    for row in calls.approved(claim):
        look()
        if not calls.take_up(claim, row):
            calls.end(
                claim, row, CallState.FAILED, "It is not what was approved, so it was not done.", reason="declined"
            )
            continue
        try:
            kit.check_since(row.name, row.began_at)
            # What the agent may do may have changed while the call before ran.
            given = kit.run(Seat.objects.get(id=claim.seat), Call(row.call_id, row.name, row.arguments))
        except tools.Failed as failed:
            calls.end(claim, row, CallState.FAILED, str(failed), reason=failed.reason)
            continue
        told = given or tools.Result("")
        calls.end(claim, row, CallState.DONE, room.take(told.text), told.rows)


def _asked_to_consult(claim: Claim) -> Call | None:
    """The call by which a turn begins whose author had this agent ask another one."""
    asked = Delivery.objects.only("consults", "dispatch", "text").get(id=claim.input)
    if not asked.consults or shown.steps(claim.turn, claim.n):
        return None
    return Call("asked-for", asked.dispatch, {"agent": asked.consults, "text": asked.text})


def _request(claim: Claim, seat: Seat, provider: Provider, kit: Kit, look: Callable[[], None]) -> context.Request:
    """What the model is given now. Where rows would have to be left out, the oldest of them are summed up first."""
    asked = Delivery.objects.only("message", "number", "withheld_at", "dispatch", "consults").get(id=claim.input)
    running = context.Running(claim.turn, asked.message, claim.n)
    budget = provider.budget(context.settings_of(seat))
    known = Known.of(seat, budget, back_to=asked.number)
    request = _build(seat, kit, known, running)
    if asked.withheld_at is not None or request.asked is None:
        raise ProviderError("withheld")
    if asked.dispatch == Mode.ADVISOR and not asked.consults:
        return context.alone(request)
    if provider.digests and compaction.overflows(request.lines, budget):
        old = compaction.older(known.lines(seat), budget, since=request.asked.number)
        if old and past.sum_up(seat, provider, known, old, budget, look):
            return _build(seat, kit, replace(known, recaps=summaries.told(seat)), running)
    return request


def _build(seat: Seat, kit: Kit, known: Known, running: context.Running) -> context.Request:
    said = [*known.rows.said, *shown.steps(running.turn, running.attempt)]
    called = shown.calls(running.turn, running.attempt)
    request = context.build(seat, known.rows.heard, said, running, known.recaps, called)
    # In its last step it has to answer.
    offered = kit.offers(seat) if request.step < MAX_STEPS else ()
    before = {line.name for line in request.lines if isinstance(line, Called)} - {one.name for one in offered}
    return replace(request, tools=(*offered, *kit.known(before)), must_answer=not offered)
