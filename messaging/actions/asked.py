"""What calls of hosted agents ask of people: a word for the call itself, or a question that is the call.

A part of settling; it opens no transaction. Wanted: the session's clock locked.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q

from messaging.actions import asking
from messaging.actions.asking import Wish
from messaging.actions.called import is_wished
from messaging.domain.ask import (
    APPROVAL,
    APPROVE,
    DECLINE,
    AskKind,
    AskState,
    canonical,
    digest,
    fault_of_question,
)
from messaging.domain.call import ASK, CallState, needs_word
from messaging.domain.capability import Capability
from messaging.journal import clock as clocks
from messaging.mailbox.models import Delivery, ToolCall
from messaging.roster import access
from messaging.roster.access import Forbidden, Hidden, caller_of
from messaging.roster.models import Agent, Installation, Person, Session
from messaging.transcript.models import Ask


@dataclass(frozen=True, slots=True)
class Heard:
    """What came of an ask for the call that waited for it: `text` is for the model. APPROVED: it may be done."""

    state: CallState
    text: str = ""
    reason: str = ""


def needs_approval(call: ToolCall) -> bool:
    """Whether somebody has to approve a call: its agent's process says so, or its policy as the house has it."""
    if call.name == ASK or call.approved:
        return False
    return call.reason == APPROVAL or (needs_word(call.turn.seat.policy, call.name) and not is_wished(call))


def approval(session: UUID, call: ToolCall) -> Heard | None:
    """Asks the installation's owner for their word; what came of it where nobody can be asked."""
    can_answer = Q(owner__account__isnull=True) | Q(owner__account__is_active=True)
    house = Installation.objects.filter(can_answer, id=1).select_related("owner__handle").first()
    if house is None or house.owner is None:
        return Heard(CallState.FAILED, "There is nobody who could approve it.", "nobody_to_ask")
    content = canonical(call.name, call.arguments)
    _ask(session, call, house.owner, AskKind.APPROVAL, content, [APPROVE, DECLINE])
    return None


def question(session: UUID, call: ToolCall) -> Heard | None:
    """Asks whom the call names, or whose words the turn works on; what came of it where that cannot be."""
    text, options = call.arguments.get("text"), call.arguments.get("options")
    wrong = fault_of_question(text, options)
    if wrong is not None:
        return Heard(CallState.FAILED, f"{wrong[0]} {wrong[1]}.", "bad_arguments")
    room, agent = Session.objects.get(id=session), _agent(call)
    try:
        access.demand(caller_of(agent), room, Capability.DIRECT_MESSAGE)
    except (Forbidden, Hidden):
        return Heard(CallState.FAILED, "You may not write to single people here.", "no_capability")
    handle = _whom(call)
    if not handle:
        return Heard(CallState.FAILED, "There is nobody to ask: name a person.", "nobody_to_ask")
    person = asking.whom(room, handle)
    if person is None:
        return Heard(CallState.FAILED, f"{handle} is no person of this session.", "no_such_target")
    _ask(session, call, person, AskKind.QUESTION, str(text), [str(one) for one in options or ()])
    return None


def heard(call: ToolCall) -> Heard | None:
    """What the person made of it; None while it is open."""
    row = Ask.objects.select_related("person__handle").get(call=call.id)
    match row.state:
        case AskState.OPEN:
            return None
        case AskState.ANSWERED:
            return _answered(call, row)
        case AskState.EXPIRED:
            who = row.person.handle.spelled if row.kind == AskKind.QUESTION else "Whoever could approve it"
            return Heard(CallState.FAILED, f"{who} did not answer.", "no_answer")
    return Heard(CallState.FAILED, "It was taken back.", "stopped")


def _answered(call: ToolCall, row: Ask) -> Heard:
    if row.kind == AskKind.QUESTION:
        # One of those that the model itself gave, and no other words.
        own = call.arguments.get("options")
        given = next((one for one in own if one == row.answer), "") if isinstance(own, list) else ""
        return Heard(CallState.DONE, given) if given else Heard(CallState.FAILED, "No answer.", "no_answer")
    if row.answer != APPROVE or digest(canonical(call.name, call.arguments)) != row.digest:
        return Heard(CallState.FAILED, "It was declined, so it was not done.", "declined")
    return Heard(CallState.APPROVED)


def _whom(call: ToolCall) -> str:
    named = call.arguments.get("person")
    if named is not None:
        return str(named)
    return _by_person(call.turn.input)


def _by_person(asked: Delivery) -> str:
    return asked.author if asked.author_kind == "human" else ""


def _ask(session: UUID, call: ToolCall, person: Person, kind: AskKind, content: str, options: list[str]) -> None:
    asker = call.turn.input.author
    wish = Wish(person, _agent(call), kind, content, options, call.id, asker, call.name)
    # Others have counted the clock up since it was locked.
    made = asking.make(clocks.lock([session])[session], wish)
    ToolCall.objects.filter(id=call.id).update(ask=made.id)


def _agent(call: ToolCall) -> Agent:
    return Agent.objects.select_related("handle").get(id=call.turn.seat.agent)
