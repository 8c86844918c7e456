"""What a turn calls: on record before it begins, and with what came of it. Every write shows its claim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.utils import timezone

from messaging.domain.actor import AGENTS
from messaging.domain.call import Call, CallState
from messaging.mailbox import say, steer, wake
from messaging.mailbox.lease import Claim, writing
from messaging.mailbox.models import Attempt, ToolCall

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
    return value
