"""The one cast of people and agents, as callers in the demo session."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from messaging.actions.draft import Draft, Posted, Refusal
from messaging.actions.post import post_one
from messaging.mailbox.models import Delivery, Seat
from messaging.roster import access, credentials
from messaging.roster.access import AgentCaller, Caller, Viewer
from messaging.roster.models import Agent, Person, Session
from messaging.transcript import changes
from messaging.transcript.view import Frame, MessageView
from tests.demo import laid


def person(handle: str) -> Viewer:
    """Somebody of the cast as a viewer."""
    return access.viewer_of(Person.objects.select_related("handle").get(handle__spelled=handle))


def agent(handle: str) -> AgentCaller:
    """An agent of the cast as a caller."""
    return access.caller_of(Agent.objects.select_related("handle").get(handle__spelled=handle))


def token(handle: str) -> str:
    """A fresh bearer token."""
    who = Person.objects.filter(handle__spelled=handle).first() or Agent.objects.get(handle__spelled=handle)
    return credentials.issue(who)


def frames(session: UUID, after: int = 0) -> list[Frame]:
    """What a session's journal holds after a number, as frames for everybody."""
    return changes.of_sessions({session: after})[session][0]


@dataclass(frozen=True)
class Room:
    """The demo session and short ways to speak in it."""

    session: Session

    @classmethod
    def open(cls) -> Room:
        return cls(laid())

    def say(
        self, who: Caller | str, text: str = "hello", said: str | list[str] | None = "participants", **more
    ) -> MessageView:
        """Posts and answers with the message. Raises Refusal."""
        return self.post(who, text, said, **more).message

    def post(
        self, who: Caller | str, text: str = "hello", said: str | list[str] | None = "participants", **more
    ) -> Posted:
        return post_one(Draft(person(who) if isinstance(who, str) else who, self.session.id, text, said, **more))

    def refused(
        self, who: Caller | str, text: str = "hello", said: str | list[str] | None = "participants", **more
    ) -> Refusal:
        """Posts what must be refused, and answers with the refusal."""
        try:
            self.post(who, text, said, **more)
        except Refusal as refusal:
            return refusal
        raise AssertionError("the post was taken")

    def seat(self, handle: str) -> Seat:
        return Seat.objects.get(session=self.session.id, handle=handle)

    def delivery(self, message: MessageView, handle: str) -> Delivery:
        return Delivery.objects.get(message=message.id, seat__handle=handle)


def bearer(handle: str) -> dict[str, str]:
    """Headers for Django's test client."""
    return {"Authorization": f"Bearer {token(handle)}"}
