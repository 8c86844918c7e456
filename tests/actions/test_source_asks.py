"""A real MCP server as a source, with one of its tools on `ask`: approved it runs once, declined or expired never.

The server is made with the official library, spoken with by the official client, as a program and over HTTP.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from messaging.actions.answer_ask import answer_ask
from messaging.actions.change_source import change_source
from messaging.actions.collect import collect
from messaging.actions.show_asks import show_asks
from messaging.actions.stop import stop
from messaging.actions.sweep import sweep
from messaging.agents import turn
from messaging.agents.context import Called, Request
from messaging.agents.sources import listing
from messaging.agents.sources.remote import Remote
from messaging.domain.ask import Surface
from messaging.domain.call import Call
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Seat, Source, ToolCall, Turn
from messaging.transcript.models import Ask
from tests.agents import sources
from tests.agents.fakes import Fake, put_in
from tests.cast import Room, person

pytestmark = pytest.mark.django_db
POLICY = {"tools": {"things__*": "allowed", "things__act": "ask", "things__fail": "denied"}}


@pytest.fixture
def model(monkeypatch) -> Fake:
    return put_in(monkeypatch, Fake(lambda _: iter(["fine"])))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "counted"


@pytest.fixture(params=["stdio", "http"])
def room(request, model, file) -> Iterator[Room]:
    """The demo session; its mirror has the server's tools, and nobody else has."""
    room = Room.open()
    mine = Seat.objects.filter(session=room.session.id, handle="mirror")
    mine.update(provider="fake", sources=["things"], policy=POLICY)
    if request.param == "stdio":
        sources.program(file)
        yield room
    else:
        with sources.over_http(file) as url:
            sources.source("http", {"url": url, "no_key": True})
            yield room


def calling(name: str, **arguments: Any) -> Any:
    def bits(request: Request) -> Iterator[str | Call]:
        if request.step == 1:
            yield Call("call-1", name, arguments)
        else:
            yield "done"

    return bits


def runs(room: Room) -> Turn:
    held = claim(room.seat("mirror").id)
    assert held is not None, "mirror has nothing to do"
    turn.run(held, lambda: False)
    collect(room.session.id)
    return Turn.objects.get(id=held.turn)


def asked(room: Room, model: Fake) -> Ask:
    model._bits = calling("things__act", word="once")
    room.say("sam", "do it", "active_agent")
    assert runs(room).parked_at is not None
    return Ask.objects.get()


def answers(ask: Ask, choice: str) -> None:
    show_asks(person("alex"), Surface.WEB)
    answer_ask(person("alex"), ask.id, choice, Surface.WEB)


def told(model: Fake) -> tuple[str, bool]:
    [called] = [line for line in model.requests[-1].lines if isinstance(line, Called)]
    return called.text, called.failed


def test_approved_it_runs_once(room, model, file):
    ask = asked(room, model)
    assert sources.words(file) == []
    assert json.loads(ask.content) == {"tool": "things__act", "arguments": {"word": "once"}}
    answers(ask, "Approve")
    assert sources.words(file) == [], "the house runs nothing"
    assert runs(room).state == "finished"
    assert sources.words(file) == ["once"]
    assert told(model) == ("done 1", False)
    sweep()
    assert claim(room.seat("mirror").id) is None
    assert sources.words(file) == ["once"]


def test_declined_it_never_runs(room, model, file):
    answers(asked(room, model), "Decline")
    assert runs(room).state == "finished"
    assert sources.words(file) == []
    assert told(model)[1] is True


def test_expired_it_never_runs(room, model, file):
    asked(room, model)
    Ask.objects.update(expires_at=timezone.now())
    sweep()
    assert runs(room).state == "finished"
    assert sources.words(file) == []
    assert told(model)[1] is True
    assert ToolCall.objects.get().reason == "no_answer"


def test_stopped_it_never_runs(room, model, file):
    ask = asked(room, model)
    answers(ask, "Approve")
    stop(person("sam"), room.session)
    sweep()
    assert claim(room.seat("mirror").id) is None
    assert sources.words(file) == []


def test_allowed_it_runs_at_once_and_asks_nobody(room, model, file):
    model._bits = calling("things__read", word="this")
    room.say("sam", "do it", "active_agent")
    assert runs(room).state == "finished"
    assert told(model) == ("read this", False)
    assert not Ask.objects.exists()


@pytest.mark.parametrize("name", ["things__fail", "other__act", "things__nothing"])
def test_denied_or_not_granted_it_is_neither_offered_nor_run(room, model, file, name):
    model._bits = calling(name)
    room.say("sam", "do it", "active_agent")
    assert runs(room).state == "finished"
    assert name not in [one.name for one in model.requests[0].tools]
    assert told(model) == ("There is no such tool.", True)
    assert not Ask.objects.exists()


def test_a_definition_that_changed_after_the_word_was_given_does_not_run(room, model, file):
    """The server says something else of another tool; of the approved one nothing changed, so that one runs."""
    ask = asked(room, model)
    file.with_suffix(".changed").touch()
    answers(ask, "Approve")
    assert runs(room).state == "finished"
    assert sources.words(file) == ["once"]
    model._bits = calling("things__read", word="this")
    room.say("sam", "and that", "active_agent")
    runs(room)
    text, failed = told(model)
    assert failed is True
    assert "changed" in text


def test_a_seat_without_the_grant_has_none_of_it(room, model, file):
    Seat.objects.filter(handle="mirror").update(sources=[])
    model._bits = calling("things__act", word="once")
    room.say("sam", "do it", "active_agent")
    runs(room)
    assert not [one.name for one in model.requests[0].tools if one.name.startswith("things__")]
    assert sources.words(file) == []


def test_at_a_source_that_was_swapped_after_the_word_it_does_not_run(room, model, file, tmp_path):
    """The word was for the server that was there: another may answer to the same name by now."""
    answers(asked(room, model), "Approve")
    other = tmp_path / "other"
    row = Source.objects.get()
    if row.transport == "stdio":
        change_source(None, "things", settings={"command": [sys.executable, str(sources.SERVER), str(other)]})
    else:
        change_source(None, "things", settings={**row.settings, "timeout": 5})
    listing.keep(Source.objects.get(), listing.find)
    assert runs(room).state == "finished"
    assert sources.words(other) == sources.words(file) == []
    assert ToolCall.objects.get().reason == "source_changed"


def test_a_grant_that_is_taken_while_one_runs_stops_the_next(room, model, file, monkeypatch):
    def bits(request: Request) -> Iterator[str | Call]:
        if request.step == 1:
            yield from (Call(word, "things__act", {"word": word}) for word in ("one", "two"))
        else:
            yield "done"

    model._bits = bits
    room.say("sam", "do it", "active_agent")
    runs(room)
    for ask in Ask.objects.all():
        answers(ask, "Approve")
    real = Remote.call

    def call(self: Remote, *given: Any) -> str:
        result: str = real(self, *given)
        Seat.objects.filter(handle="mirror").update(sources=[])
        return result

    monkeypatch.setattr(Remote, "call", call)
    runs(room)
    assert sources.words(file) == ["one"]


def test_arguments_that_lie_too_deep_are_asked_of_nobody(room, model, file):
    deep: Any = [1] * 5000
    for _ in range(40):
        deep = [deep]
    model._bits = calling("things__act", word=deep)
    room.say("sam", "do it", "active_agent")
    assert runs(room).state == "finished"
    assert not Ask.objects.exists()
    assert ToolCall.objects.get().reason == "bad_arguments"
