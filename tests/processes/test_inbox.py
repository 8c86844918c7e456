from __future__ import annotations

import logging
from typing import Any
from uuid import UUID, uuid4

import pytest

from collab.processes import inbox
from messaging.actions import tasks
from messaging.journal import poke
from messaging.mailbox import wake


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    seen: list[Any] = []
    monkeypatch.setattr(tasks.collect, "delay", lambda session: seen.append(("collect", session)))
    monkeypatch.setattr(poke, "piece", lambda session, turn: seen.append(("piece", session, turn)))
    return seen


def test_each_line_has_its_deed(done: list[Any]):
    session, turn = uuid4(), uuid4()
    inbox.handle(wake.encode(wake.Collect(session)))
    inbox.handle(wake.encode(wake.Piece(session, turn)))
    # A queue's payload is a word: ids and no more.
    assert done == [("collect", str(session)), ("piece", session, turn)]


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\n",
        b"nonsense\n",
        b"[]\n",
        b'{"type":"collect"}\n',
        b'{"type":"collect","session":"../../etc"}\n',
        b'{"type":"delete_everything"}\n',
        b'{"type":"collect","session":' + b"[" * 900 + b"\n",
        b"\xff\xfe\n",
        wake.encode(wake.Wake(UUID(int=1))),
    ],
)
def test_what_is_no_line_for_the_house_does_nothing(done: list[Any], raw: bytes, caplog: pytest.LogCaptureFixture):
    with caplog.at_level(logging.WARNING):
        inbox.handle(raw)
    assert done == []
    assert "etc" not in caplog.text


def test_a_deed_that_fails_is_logged_and_the_reading_goes_on(
    done: list[Any], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    def refuse(_: str) -> None:
        raise OSError

    session, turn = uuid4(), uuid4()
    monkeypatch.setattr(tasks.collect, "delay", refuse)
    inbox.handle(wake.encode(wake.Collect(session)))
    assert [record.getMessage() for record in caplog.records] == ["A line of the agents' process could not be handled"]
    inbox.handle(wake.encode(wake.Piece(session, turn)))
    assert done == [("piece", session, turn)]
