"""Settles what hosted agents called in their turns and the house does for them: by the same front door as everybody.

A consult and a piece of advice are messages of the agent that asks; what comes back lies before it in its own mailbox.
What needs somebody's word is asked of them first; what is approved of the agents' own tools goes back to their process.
The turn that called holds nothing meanwhile. Looked at whenever a session is collected, and by the sweep: so nothing
depends on anybody being told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from messaging.actions import asked as asks
from messaging.actions import asking
from messaging.actions.asked import Heard
from messaging.actions.called import after, is_offered
from messaging.actions.draft import Draft, Outcome, Refusal
from messaging.actions.in_answer import in_answer, say
from messaging.actions.post import post
from messaging.actions.record import record
from messaging.actions.withdraw import withdraw
from messaging.domain import reason as reasons
from messaging.domain.actor import HOUSE
from messaging.domain.ask import canonical, digest
from messaging.domain.call import ASK, CallState, bounded
from messaging.domain.dispatch import Mode
from messaging.domain.disposition import NEVER_SHOWN, SHOWN
from messaging.domain.turn import TurnState
from messaging.journal import clock as clocks
from messaging.mailbox import clear as mailbox
from messaging.mailbox import wake
from messaging.mailbox.models import Delivery, ToolCall, Turn
from messaging.roster.access import caller_of
from messaging.roster.models import Agent, Installation, Person
from messaging.transcript.models import Message

#: How long a turn waits for another agent's answer.
LONGEST_CONSULT = timedelta(minutes=10)
#: Digits of a number by which an agent may name a message.
_LONGEST_NUMBER = 9
_MODES = {
    "consult": Mode.CONSULT,
    "advisor": Mode.ADVISOR,
    "child_session": Mode.CHILD_SESSION,
    "send": Mode.FUTURE_TURN,
}
#: Modes whose answer comes back into the turn.
_COME_BACK = frozenset({Mode.CONSULT, Mode.ADVISOR})
REPLY = "reply"
#: Every tool whose calls the house does.
_OWN = frozenset({*_MODES, ASK, REPLY})


def settle(session: UUID) -> None:
    """Looks at every call of the session's seats that waits. Call it with the session's clock locked."""
    asking.expire(session)
    waiting = ToolCall.objects.filter(turn__seat__session=session, state=CallState.WAITING, answer=None)
    for call in waiting.select_related("turn__seat", "turn__input").order_by("began_at", "step", "n"):
        if call.turn.state != TurnState.RUNNING:
            _give_up(call, "stopped")
        elif call.ask is not None and not call.approved:
            _hear(session, call)
        elif asks.needs_approval(call):
            _settled(call, asks.approval(session, call))
        elif call.message is None:
            _begin(session, call)
        else:
            _look(call)


def _hear(session: UUID, call: ToolCall) -> None:
    """Whether whoever was asked has answered, or their time is over. What is approved may be done, once."""
    heard = asks.heard(call)
    if heard is None or heard.state is not CallState.APPROVED:
        _settled(call, heard)
        return
    call.approved, call.reason = digest(canonical(call.name, call.arguments)), ""
    ToolCall.objects.filter(id=call.id).update(approved=call.approved, reason="")
    if call.name in _OWN:
        _begin(session, call)
        return
    ToolCall.objects.filter(id=call.id).update(state=CallState.APPROVED)
    _go_on(call.turn)


def _settled(call: ToolCall, heard: Heard | None) -> None:
    if heard is not None:
        _end(call, heard.state, heard.text, heard.reason)


def _begin(session: UUID, call: ToolCall) -> None:
    """The call becomes a message of the agent that made it, or a question to a person; or is refused with a reason."""
    if not is_offered(call):
        _end(call, CallState.FAILED, "Your policy does not offer this tool.", "tools")
    elif call.name == ASK:
        _settled(call, asks.question(session, call))
    elif call.name == REPLY:
        _reply(call)
    else:
        _call(session, call)


def _call(session: UUID, call: ToolCall) -> None:
    mode, handle, text = _MODES.get(call.name), call.arguments.get("agent"), call.arguments.get("text")
    if mode is None or not isinstance(handle, str) or not isinstance(text, str):
        _end(call, CallState.FAILED, "agent and text are texts.", "bad_arguments")
        return
    outcome = post([_draft(session, call, mode, handle, text)])[0]
    if not _is_posted(call, outcome) or mode in _COME_BACK:
        return
    opened = "A side session was opened" if mode is Mode.CHILD_SESSION else "Sent"
    _end(call, CallState.DONE, f"{opened}; {handle} has it.")


def _reply(call: ToolCall) -> None:
    """Says it at once, to whom the answer to what it replies to would go. It starts no turn of anybody."""
    text, parent = call.arguments.get("text"), _shown(call)
    if not isinstance(text, str) or parent is None:
        _end(call, CallState.FAILED, "text is a text, message the id of one that you were shown.", "bad_arguments")
        return
    draft = in_answer(call.turn.seat, parent, text)
    if draft.dispatch:
        # The answer alone goes back into a turn that waits for it.
        draft = replace(draft, dispatch=Mode.FUTURE_TURN)
    if _is_posted(call, say(replace(draft, reply_to=parent.message, starts=False))):
        _end(call, CallState.DONE, "Said.")


def _shown(call: ToolCall) -> Delivery | None:
    """What a reply is to, by the number that the agent knows it by: without one its turn's input."""
    number = call.arguments.get("message", call.turn.input.number)
    if isinstance(number, str) and number.isascii() and number.isdigit():
        number = int(number[:_LONGEST_NUMBER])
    if not isinstance(number, int) or isinstance(number, bool) or number >= 10**_LONGEST_NUMBER:
        return None
    return Delivery.objects.filter(seat=call.turn.seat, number=number, state__in=SHOWN, withheld_at=None).first()


def _is_posted(call: ToolCall, outcome: Outcome) -> bool:
    """Keeps the message that a call became; one that was refused is told so."""
    if isinstance(outcome, Refusal):
        _end(call, CallState.FAILED, outcome.detail, outcome.code)
        return False
    ToolCall.objects.filter(id=call.id).update(message=outcome.message.id)
    return True


def _draft(session: UUID, call: ToolCall, mode: Mode, handle: str, text: str) -> Draft:
    asked, seat = call.turn.input, call.turn.seat
    agent = Agent.objects.select_related("handle").get(id=seat.agent)
    return Draft(
        caller_of(agent),
        session,
        text,
        f"agent:{handle}",
        mode,
        origin=after(asked),
        owner=_person(asked),
    )


def _person(asked: Delivery) -> UUID | None:
    """For whom the turn works: a side session that it opens is theirs."""
    if asked.author_kind != "human":
        return None
    return Person.objects.filter(handle__spelled=asked.author).values_list("id", flat=True).first()


def _look(call: ToolCall) -> None:
    """Whether what was asked has been answered, or never will be."""
    back = Delivery.objects.filter(seat=call.turn.seat, message__in=_answers(call)).first()
    if back is not None:
        mailbox.clear([back.id])
        ToolCall.objects.filter(id=call.id).update(answer=back.id)
        _go_on(call.turn)
        return
    lost = _lost(call)
    if lost:
        _give_up(call, lost)


def _answers(call: ToolCall) -> Sequence[UUID]:
    return list(Message.objects.filter(answers=call.message, author_kind="agent").values_list("id", flat=True))


def _lost(call: ToolCall) -> str:
    """Why no answer will come, a reason's code; empty while one may."""
    if call.message is None:
        return "not_available"
    asked = Delivery.objects.filter(message=call.message).exclude(seat=call.turn.seat).order_by("-place").first()
    if asked is None or asked.state in NEVER_SHOWN:
        return (asked.reason if asked else "") or "not_available"
    turn = Turn.objects.filter(input=asked).order_by("-started_at").first()
    if turn is not None and turn.state in (TurnState.FAILED, TurnState.STOPPED):
        return turn.reason or str(turn.state)
    if turn is not None and turn.reason == "answer_refused":
        return turn.reason
    # While all agents pause, who was asked cannot answer; nobody is to blame.
    late = timezone.now() - call.began_at > LONGEST_CONSULT and Installation.paused_since() is None
    return "consult_timeout" if late else ""


def _give_up(call: ToolCall, why: str) -> None:
    """Nothing comes back: what was asked and is not heard yet is taken back."""
    if call.ask is not None:
        asking.withdraw(clocks.lock([call.turn.seat.session])[call.turn.seat.session], [call.turn_id], HOUSE)
    if call.message is not None:
        taken = withdraw(Q(message=call.message), HOUSE, "stopped")
        record(clocks.lock([call.turn.seat.session])[call.turn.seat.session], [step for _, step in taken])
    words = reasons.words(why, "the agent")
    _end(call, CallState.FAILED, f"No answer: {words or why}.", why)


def _end(call: ToolCall, state: CallState, result: str, why: str = "") -> None:
    told = {"state": state, "result": bounded(result), "reason": why[:48]}
    ToolCall.objects.filter(id=call.id).update(**told, ended_at=timezone.now())
    _go_on(call.turn)


def _go_on(turn: Turn) -> None:
    """Wakes a parked turn once none of its calls waits any more."""
    waits = ToolCall.objects.filter(turn=turn, state=CallState.WAITING, answer=None)
    if waits.exists():
        return
    parked = Turn.objects.filter(id=turn.id, state=TurnState.RUNNING, parked_at__isnull=False)
    if parked.update(not_before=timezone.now()):
        wake.send(wake.Wake(turn.seat_id, turn.seat.placement))
