"""The demo session with an agent that answers, and ways to read a page as people read it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

from messaging.actions.collect import collect
from messaging.mailbox import say
from messaging.mailbox.claim import claim
from messaging.transcript.models import Message
from messaging.transcript.view import MessageView
from tests.cast import Room

PAGE = "/s/welcome/"


class Scene(Room):
    """The room, in which `mirror` can be made to take its input and to answer it."""

    def take(self) -> None:
        """The agent takes what waits for it."""
        assert claim(self.seat("mirror").id) is not None

    def answer(self, text: str) -> Message:
        """The agent takes what waits for it and answers; the answer as kept."""
        taken = claim(self.seat("mirror").id)
        assert taken is not None
        say.answer(taken, text)
        collect(self.session.id)
        return Message.objects.get(turn=taken.turn)

    def asked(self, who: str = "alex", text: str = "a question") -> MessageView:
        """A question that the agent has answered."""
        message = self.say(who, text, "active_agent")
        self.answer(f"an answer to {text}")
        return message


class _Words(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_data(self, data: str) -> None:
        self.found.append(data)


def words(answer: Any) -> str:
    """What a page says, without its markup."""
    reader = _Words()
    reader.feed(answer.content.decode())
    return re.sub(r"\s+", " ", " ".join(reader.found))


def source(answer: Any) -> str:
    """A page's HTML."""
    return str(answer.content.decode())


def chosen(answer: Any) -> str:
    """The audience that the composer stands on."""
    found = re.search(r'<input type="radio"[^>]*name="audience"[^>]*value="([^"]*)"[^>]*checked', source(answer))
    return found.group(1) if found else ""


def offered(answer: Any) -> list[str]:
    """The audiences that the composer offers."""
    return re.findall(r'<input type="radio"[^>]*name="audience"[^>]*value="([^"]*)"', source(answer))
