"""Forks and merges over REST."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from messaging.actions.collect import collect
from messaging.mailbox import say
from messaging.mailbox.claim import claim
from tests.cast import Room, bearer

pytestmark = pytest.mark.django_db


@pytest.fixture
def room() -> Room:
    room = Room.open()
    room.say("sam", "a question", "active_agent")
    held = claim(room.seat("mirror").id)
    assert held is not None
    say.answer(held, "an answer")
    collect(room.session.id)
    return room


def send(who: str, path: str, body: Any) -> Any:
    raw = json.dumps(body)
    return Client().post(f"/api/v1/sessions/{path}", raw, content_type="application/json", headers=bearer(who))


def messages(who: str, session: str) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = (
        Client().get(f"/api/v1/sessions/{session}/messages", headers=bearer(who)).json()["items"]
    )
    return items


def test_there_and_back(room):
    spoken = room.say("sam", "among people").id
    made = send("sam", "welcome/fork", {"messages": [spoken], "reason": "it matters", "confirm": True})
    assert (made.status_code, made.json()["title"], made.json()["role"]) == (201, "Fork of Welcome", "owner")
    slug = made.json()["slug"]
    assert [one["text"] for one in messages("sam", slug)] == ["a question", "an answer", "among people"]
    chosen = [one["id"] for one in messages("sam", slug)][:2]
    back = send("sam", "welcome/merge", {"source": slug, "messages": chosen, "audience": "participants"})
    assert back.status_code == 201
    assert [(one["text"], one["on_behalf_of"]) for one in back.json()["items"]] == [
        ("a question", ""),
        ("an answer", "mirror"),
    ]


@pytest.mark.parametrize(
    ("who", "body", "status", "code", "field"),
    [
        ("vic", {}, 403, "no_capability", None),
        ("xan", {}, 404, "not_found", None),
        ("sam", {"until": "00000000-0000-0000-0000-000000000000"}, 422, "invalid", "until"),
        ("sam", {"messages": ["00000000-0000-0000-0000-000000000000"]}, 422, "invalid", "messages"),
        ("sam", {"messages": ["x"]}, 422, "invalid", "messages.0"),
        ("sam", {"title": "x" * 121}, 422, "invalid", "title"),
        ("sam", {"owner": "sam"}, 422, "invalid", "owner"),
    ],
)
def test_what_is_no_fork_is_refused_by_its_field(room, who, body, status, code, field):
    refused = send(who, "welcome/fork", body)
    assert (refused.status_code, refused.json()["code"]) == (status, code)
    assert (refused.json().get("field") or None) == field


def test_a_merge_from_elsewhere_is_refused(room):
    body = {"source": "welcome", "messages": [room.say("sam").id], "audience": "participants"}
    refused = send("sam", "welcome/merge", body)
    assert (refused.status_code, refused.json()["field"]) == (422, "source")
