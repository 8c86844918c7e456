"""What an agent says in answer to something, at the end of its turn or on the way: who hears it, by what it answers."""

from __future__ import annotations

from dataclasses import replace

from messaging.actions.called import after
from messaging.actions.draft import Draft, Outcome, Refusal
from messaging.actions.post import post
from messaging.domain.audience import Kind as Audiences
from messaging.domain.dispatch import WITHIN, Mode
from messaging.mailbox.models import Delivery, Seat
from messaging.roster.access import caller_of
from messaging.roster.models import Agent, Session
from messaging.transcript.models import Message


def in_answer(seat: Seat, asked: Delivery, text: str) -> Draft:
    """It goes to the room where the room or a person asked, and to the agent that asked by name otherwise.

    An answer to an answer starts no turn: two agents would thank each other as long as they may.
    """
    words = Session.objects.get(id=seat.session).answers
    agent = Agent.objects.select_related("handle").get(id=seat.agent)
    draft = Draft(caller_of(agent), seat.session, text, words, origin=after(asked))
    if asked.audience != Audiences.AGENTS or asked.author_kind != "agent":
        return draft
    if asked.dispatch in WITHIN:
        # It goes back into the turn that asked, which waits for it.
        return replace(draft, said=f"agent:{asked.author}", dispatch=asked.dispatch, starts=False)
    is_answer = Message.objects.filter(id=asked.message, answers__isnull=False).exists()
    return replace(draft, said=f"agent:{asked.author}", dispatch=Mode.FUTURE_TURN, starts=not is_answer)


def say(draft: Draft) -> Outcome:
    """Posts it. Where who asked is not here any more, people hear what came of it, and no agent."""
    [outcome] = post([draft])
    if isinstance(outcome, Refusal) and outcome.code == "no_such_target":
        [outcome] = post([replace(draft, said="participants", dispatch="")])
    return outcome
