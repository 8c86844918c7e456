"""Opens the side session that a message asks for: its own members, and nothing of its parent but that message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from uuid import UUID

from messaging.actions.compose import Composed
from messaging.actions.draft import Draft, Outcome, Refusal
from messaging.actions.join import join
from messaging.actions.open_session import Beginning, open_session
from messaging.domain import title
from messaging.domain.capability import Role
from messaging.domain.dispatch import Origin
from messaging.domain.title import UNTITLED, By
from messaging.mailbox.models import Seat
from messaging.roster.models import Agent, Person, Session


def open_child(one: Composed, child: tuple[UUID, Seat], say: Callable[[Sequence[Draft]], list[Outcome]]) -> Session:
    """The session, with the message as its first input. Call it in the transaction that wrote the message.

    say: posts drafts. Its owner is who asked for it; for an agent, the person for whom its turn works or, where it runs
    elsewhere, the one that owns it, and the agent is in it as well.
    """
    key, seat = child
    agent = Agent.objects.select_related("handle").get(id=seat.agent)
    owner = _owner(one)
    named = title.of(one.draft.text)
    beginning = Beginning(By.FIRST if named else By.NOBODY, key, parent=one.room.session)
    session = open_session(owner, title=named or UNTITLED, active_agent=agent, beginning=beginning)
    if one.draft.author.kind == "agent":
        join(session, Agent.objects.select_related("handle").get(id=one.draft.author.id), Role.AGENT)
    origin = Origin(one.origin.hops, session.depth, root=one.origin.root or one.id)
    first = Draft(one.draft.author, session.id, one.draft.text, "active_agent", origin=origin, charged=True)
    [outcome] = say([first])
    if isinstance(outcome, Refusal):
        raise RuntimeError(f"a side session did not take its first message: {outcome.code}")
    return session


def _owner(one: Composed) -> Person:
    if one.draft.author.kind == "human":
        return Person.objects.select_related("handle").get(id=one.draft.author.id)
    if one.draft.owner is not None:
        return Person.objects.select_related("handle").get(id=one.draft.owner)
    owner = Agent.objects.select_related("owner__handle").get(id=one.draft.author.id).owner
    if owner is None:
        raise RuntimeError("an agent without an owner opened a side session")
    return owner
