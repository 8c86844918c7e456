"""The words of an ask: what is to be run stands there whole, and nothing in it hides."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from collab.web.presenters.asked import asked
from messaging.domain.ask import canonical
from messaging.domain.unseen import bare, is_seen, written_out


@dataclass
class Ask:
    kind: str = "approval"
    agent_name: str = "Mirror"
    tool: str = "files__write"
    content: str = ""
    state: str = "open"
    answer: str = ""


def test_an_approval_shows_the_tool_and_every_argument():
    shown = asked(Ask(content=canonical("files__write", {"path": "notes.txt", "text": "one\ntwo", "deep": {"n": [1]}})))
    assert shown.head == "Mirror wants to call files__write"
    assert json.loads(shown.body) == {"path": "notes.txt", "text": "one\ntwo", "deep": {"n": [1]}}
    assert shown.ended == ""


def test_a_call_without_arguments_says_so():
    assert asked(Ask(content=canonical("files__list", {}))).body == "without arguments"


def test_a_question_shows_its_text():
    shown = asked(Ask(kind="question", content="This way\nor that?"))
    assert (shown.head, shown.body) == ("Mirror asks you", "This way\nor that?")


@pytest.mark.parametrize(
    ("kind", "state", "answer", "words"),
    [
        ("approval", "answered", "Approve", "You approved it"), ("approval", "answered", "Decline", "You declined it"),
        ("question", "answered", "Blue", "You said: Blue"), ("approval", "expired", "", "Nobody answered in time"),
        ("question", "withdrawn", "", "Taken back: the turn that asked has ended"),
    ],
)  # fmt: skip
def test_what_came_of_it_is_said(kind, state, answer, words):
    assert asked(Ask(kind=kind, content=canonical("t", {}), state=state, answer=answer)).ended == words


@pytest.mark.parametrize("char", ["\u202e", "\u200b", "\u2066", "\x07", "\u2028", "\ufeff", "\U000e0041", "\x85"])
def test_what_cannot_be_seen_is_written_out(char):
    shown = asked(Ask(content=canonical("mail__send", {"to": f"sam{char}mo"}))).body
    assert char not in shown
    assert f"{ord(char):04x}" in shown


@pytest.mark.parametrize(
    "sign", ["\ufe01", "\U000e0101", "\u034f", "\u3164", "\u115f", "\u180b", "\u202e", "\u200b", "\x00"]
)
def test_what_every_reader_leaves_out_is_written_out_too(sign):
    assert written_out(f"a{sign}b") == f"a\\u{{{ord(sign):04x}}}b"
    assert bare(f"a{sign}b") == "ab"


@given(st.text(max_size=300))
def test_nothing_on_the_page_is_unseen_and_nothing_that_is_seen_is_changed(text):
    assert all(is_seen(char) for char in written_out(text))
    assert written_out(bare(text)) == bare(text)
