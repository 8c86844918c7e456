"""A connected agent asks a person of its session something."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from messaging.actions import asking
from messaging.actions.asking import Wish
from messaging.actions.draft import Refusal
from messaging.domain.ask import MOST_OPEN, AskKind, AskState, fault_of_question
from messaging.domain.capability import Capability
from messaging.journal import clock as clocks
from messaging.mailbox.models import Seat, SeatKind
from messaging.roster import access
from messaging.roster.access import AgentCaller, Caller, Forbidden
from messaging.roster.models import Agent, Session
from messaging.transcript import asks
from messaging.transcript.models import Ask
from messaging.transcript.view import AskView

#: Seconds after which somebody who has too many open may look again.
_WAIT = 60


@transaction.atomic
def ask(who: Caller, session: Session, person: str, text: str, options: list[str]) -> AskView:
    """An open question to one person, who answers with one of the options. A hosted agent asks in its turns.

    Raises Forbidden, Hidden outside the session, or Refusal: 422 by the field, 429 with too many open.
    """
    if not isinstance(who, AgentCaller):
        raise Forbidden("no_capability", "Agents alone ask so; write a message.", session=session.id)
    held = clocks.lock([session.id])[session.id]
    access.demand(who, session, Capability.DIRECT_MESSAGE)
    if not Seat.objects.filter(session=session.id, agent=who.id, kind=SeatKind.CONNECTED, open=True).exists():
        raise Forbidden("no_capability", "A hosted agent asks in a turn of its own.", session=session.id)
    wrong = fault_of_question(text, options)
    if wrong is not None:
        raise Refusal.shape(*wrong)
    found = asking.whom(session, person)
    if found is None:
        raise Refusal.shape("person", "is no person of this session", "no_such_target")
    agent = Agent.objects.select_related("handle").get(id=who.id)
    _demand_room(session, agent)
    return asks.view(asking.make(held, Wish(found, agent, AskKind.QUESTION, text, options, asker=who.handle)))


def _demand_room(session: Session, agent: Agent) -> None:
    waiting = Ask.objects.filter(session=session, agent=agent, state=AskState.OPEN, expires_at__gt=timezone.now())
    if waiting.count() >= MOST_OPEN:
        words = f"{MOST_OPEN} questions of yours are open here; wait until one is answered."
        raise Refusal(429, "queue_full", words, retry_after=_WAIT)
