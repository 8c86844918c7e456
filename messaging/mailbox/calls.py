"""What a turn calls: on record before it begins, and with what came of it. Every write shows its claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any
from uuid import UUID

from django.utils import timezone

from messaging.domain.actor import AGENTS
from messaging.domain.ask import canonical, digest
from messaging.domain.call import Call, CallState, bounded
from messaging.domain.disposition import Disposition
from messaging.mailbox import say, steer, turns, wake
from messaging.mailbox.lease import Claim, writing
from messaging.mailbox.models import Attempt, Delivery, Seat, ToolCall, Turn
from messaging.mailbox.move import Move, move
from messaging.mailbox.number import number

#: What a model is told of an answer that was taken back before it was shown.
GONE = "What came back was taken back."
#: Characters of what a model may call a call, and a tool.
_LONGEST_ID, _LONGEST_NAME = 128, 64


def begin(claim: Claim, text: str, calls: Sequence[Call], *, acts: bool) -> list[ToolCall]:
    """Ends a model step that calls tools: its words are kept, and each call before it begins. The turn goes on.

    acts: whether one of them acts, so that the turn is not tried again. Raises LeaseLost.
    """
    with writing(claim, with_seat=True) as (_, seat):
        step, now = say.steps(claim).count() + 1, timezone.now()
        say.keep(claim, text, n=step, after=seat.shown if seat else 0)
        if acts:
            Attempt.objects.filter(id=claim.attempt).update(acted=True)
        rows = [
            ToolCall(
                turn_id=claim.turn,
                attempt=claim.n,
                step=step,
                n=n,
                call_id=say.storable(one.call_id)[:_LONGEST_ID],
                name=say.storable(one.name)[:_LONGEST_NAME],
                arguments=storable(one.arguments or {}),
                state=CallState.RUNNING,
                began_at=now,
            )
            for n, one in enumerate(calls, 1)
        ]
        made = ToolCall.objects.bulk_create(rows)
        wake.send(wake.Collect(claim.session))
    return made


def end(
    claim: Claim, call: ToolCall, state: CallState, result: str, rows: Sequence[UUID] = (), reason: str = ""
) -> None:
    """Keeps what came of a call. rows: those whose texts stand in the result. Raises LeaseLost."""
    told = {"state": state, "reason": reason, "result": say.storable(result), "rows": [str(one) for one in rows]}
    with writing(claim):
        ToolCall.objects.filter(id=call.id).update(**told, ended_at=timezone.now())


def park(claim: Claim, waiting: Mapping[UUID, str]) -> None:
    """The attempt waits for the house to settle these calls, and holds nothing meanwhile. Raises LeaseLost.

    waiting: the calls, each with its reason: what it waits for first, or nothing.
    """
    with writing(claim, with_seat=True) as (turn, _):
        for reason in set(waiting.values()):
            ids = [call for call, own in waiting.items() if own == reason]
            ToolCall.objects.filter(id__in=ids).update(state=CallState.WAITING, reason=reason)
        turns.park(turn, timezone.now())
        wake.send(wake.Collect(claim.session))


def approved(claim: Claim) -> list[ToolCall]:
    """Those that may be done by now, in order."""
    rows = ToolCall.objects.filter(turn=claim.turn, attempt=claim.n, state=CallState.APPROVED)
    return list(rows.order_by("step", "n"))


def take_up(claim: Claim, call: ToolCall) -> bool:
    """Begins an approved call, once, and exactly as it was approved; whether it may be done. Raises LeaseLost.

    From here on it counts as done: a turn that ends in the middle of it is not tried again.
    """
    own = digest(canonical(call.name, call.arguments))
    with writing(claim):
        Attempt.objects.filter(id=claim.attempt).update(acted=True)
        mine = ToolCall.objects.filter(id=call.id, turn=claim.turn, state=CallState.APPROVED, approved=own)
        return bool(mine.update(state=CallState.RUNNING))


def take(seat: Seat, turn: Turn) -> bool:
    """Shows a parked turn what came back to its calls; whether none of them waits any more.

    Call it with seat and turn locked. What came back and was taken back since is not shown.
    """
    waiting = ToolCall.objects.filter(turn=turn, attempt=turn.attempts, state=CallState.WAITING)
    settled = {one.answer: one for one in waiting if one.answer is not None}
    rows = {row.id: row for row in Delivery.objects.filter(id__in=settled, seat=seat).order_by("place")}
    before, after = Disposition.QUEUED, Disposition.DELIVERED
    fresh = [row for row in rows.values() if row.state == before and row.cleared_at and row.withheld_at is None]
    moved = {step.delivery_id for step in move([Move(row.id, before, after, AGENTS, turn=turn.id) for row in fresh])}
    number(seat, [row for row in fresh if row.id in moved])
    now = timezone.now()
    for answer, call in settled.items():
        row = rows.get(answer)
        if row is not None and row.id in moved:
            done = {"state": CallState.DONE, "result": bounded(row.text), "rows": [str(row.id)]}
        else:
            done = {"state": CallState.FAILED, "result": GONE, "reason": "withheld"}
        ToolCall.objects.filter(id=call.id).update(**done, ended_at=now)
    return len(settled) == len(waiting)


def boundary(claim: Claim) -> None:
    """Between the tools of a step and the next step: whoever steers is heard from that step on. Raises LeaseLost."""
    with writing(claim, with_seat=True) as (turn, seat):
        if seat is None:
            raise TypeError("a turn is steered under the seat's lock")
        steer.take(turn, seat, AGENTS)
        say.close_window(turn, taken=say.steps(claim).count())
        wake.send(wake.Collect(claim.session))


def storable(value: Any) -> Any:
    """Arguments in a form that every database can hold: see `say.storable`."""
    match value:
        case str():
            return say.storable(value)
        case Mapping():
            return {say.storable(str(name)): storable(one) for name, one in value.items()}
        case list():
            return [storable(one) for one in value]
        case float() if not isfinite(value):
            # No JSON, though some write it so.
            return str(value)
    return value
