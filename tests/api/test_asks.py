"""Asks over REST: whom they name sees and answers them; a connected agent asks, and learns what came of it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.test import Client

from messaging.actions.sweep import sweep
from messaging.domain.ask import MOST_OPEN
from messaging.mailbox.models import Seat
from messaging.transcript.models import Ask, AskShown
from tests.actions.asks import asked, calling, permit, plot_call, plotting, runs, too_late
from tests.cast import Room, bearer

pytestmark = pytest.mark.django_db
API = "/api/v1"
FIELDS = {
    "id", "session", "kind", "agent", "agent_name", "asker", "tool", "content", "digest", "options", "state", "answer",
    "made_at", "expires_at",
}  # fmt: skip
QUESTION = {"person": "sam", "text": "which?", "options": ["Blue", "Green"]}


@pytest.fixture
def room() -> Room:
    return Room.open()


def send(who: str, path: str, body: object):
    return Client().post(API + path, json.dumps(body), "application/json", headers=bearer(who))


def listed(who: str, query: str = "") -> list[dict[str, Any]]:
    answer = Client().get(f"{API}/asks{query}", headers=bearer(who))
    assert answer.status_code == 200
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def ask(**more: object):
    return send("scout", "/sessions/welcome/asks", QUESTION | more)


def test_an_agent_asks_and_one_person_answers_once(room):
    made = ask()
    assert (made.status_code, set(made.json())) == (201, FIELDS)
    key = made.json()["id"]
    assert send("sam", f"/asks/{key}/answer", {"choice": "Blue"}).json()["code"] == "not_shown"
    [shown] = listed("sam")
    assert shown == made.json()
    assert (shown["kind"], shown["agent"], shown["agent_name"], shown["tool"]) == ("question", "scout", "Scout", "")
    answered = send("sam", f"/asks/{key}/answer", {"choice": "Blue", "digest": shown["digest"]})
    assert (answered.status_code, answered.json()["state"], answered.json()["answer"]) == (200, "answered", "Blue")
    again = send("sam", f"/asks/{key}/answer", {"choice": "Green"})
    assert (again.status_code, again.json()["code"]) == (409, "closed")
    assert listed("scout") == [{"id": key, "state": "answered", "answer": "Blue"}]
    assert listed("sam", "?open=true") == []


@pytest.mark.parametrize("who", ["alex", "mo", "vic", "gus", "xan"])
def test_for_others_it_is_not_there(room, who):
    key = ask().json()["id"]
    assert listed(who) == []
    answer = send(who, f"/asks/{key}/answer", {"choice": "Blue"})
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert Ask.objects.get().state == "open"


def test_an_agent_answers_nothing_and_sees_its_own_alone_without_marking_it_shown(room):
    key = ask().json()["id"]
    assert send("scout", f"/asks/{key}/answer", {"choice": "Blue"}).status_code == 404
    assert [one["id"] for one in listed("scout")] == [key]
    assert listed("mirror") == []
    assert not AskShown.objects.exists()
    assert [one["id"] for one in listed("scout", "?open=true")] == [key]
    too_late(Ask.objects.get())
    assert listed("scout", "?open=true") == []
    sweep()
    assert listed("scout") == [{"id": key, "state": "expired", "answer": ""}]


@pytest.mark.parametrize(
    ("body", "field", "code"),
    [
        ({"choice": "Red"}, "choice", "bad_choice"),
        ({"choice": "blue"}, "choice", "bad_choice"),
        ({}, "choice", "invalid"),
        ({"choice": 1}, "choice", "invalid"),
        ({"choice": "Blue", "more": 1}, "more", "invalid"),
    ],
)
def test_a_wrong_answer_names_its_field_and_closes_nothing(room, body, field, code):
    key = ask().json()["id"]
    listed("sam")
    answer = send("sam", f"/asks/{key}/answer", body)
    assert (answer.status_code, answer.json()["field"], answer.json()["code"]) == (422, field, code)
    other = send("sam", f"/asks/{key}/answer", {"choice": "Blue", "digest": "0" * 64})
    assert (other.status_code, other.json()["code"], other.json()["field"]) == (409, "conflict", "digest")
    assert Ask.objects.get().state == "open"


@pytest.mark.parametrize(
    ("more", "field", "code"),
    [
        ({"person": "xan"}, "person", "no_such_target"),
        ({"person": "mirror"}, "person", "no_such_target"),
        ({"person": "nobody"}, "person", "no_such_target"),
        ({"text": " "}, "text", "invalid"),
        ({"text": "x" * 2001}, "text", "invalid"),
        ({"options": ["Blue"]}, "options", "invalid"),
        ({"options": ["Blue", "BLUE"]}, "options", "invalid"),
        ({"options": ["x" * 81, "y"]}, "options", "invalid"),
        ({"expires": 5}, "expires", "invalid"),
    ],
)
def test_what_cannot_be_asked_names_its_field(room, more, field, code):
    answer = ask(**more)
    assert (answer.status_code, answer.json()["field"], answer.json()["code"]) == (422, field, code)
    assert not Ask.objects.exists()


@pytest.mark.parametrize(("who", "status"), [("alex", 403), ("sam", 403), ("mirror", 403), ("xan", 404)])
def test_connected_agents_alone_ask_so(room, who, status):
    assert send(who, "/sessions/welcome/asks", QUESTION).status_code == status
    assert not Ask.objects.exists()


def test_so_many_may_be_open_at_once(room):
    for _ in range(MOST_OPEN):
        assert ask().status_code == 201
    answer = ask()
    assert (answer.status_code, answer.json()["code"]) == (429, "queue_full")
    assert int(answer["Retry-After"]) > 0
    too_late(Ask.objects.earliest("made_at"))
    assert ask().status_code == 201


def test_they_come_newest_first(room):
    keys = [ask(text=f"number {n}").json()["id"] for n in range(3)]
    assert [one["id"] for one in listed("sam")] == keys[::-1]


@pytest.mark.parametrize("query", ["?open=perhaps", "?closed=true"])
def test_a_wrong_query_is_refused(room, query):
    assert Client().get(f"{API}/asks{query}", headers=bearer("sam")).status_code == 422


@pytest.mark.parametrize("key", ["x", "0", "00000000-0000-4000-8000-000000000000"])
def test_what_is_no_ask_is_not_there(room, key):
    assert send("sam", f"/asks/{key}/answer", {"choice": "Blue"}).status_code == 404


def test_the_owner_approves_a_call_over_rest(room, monkeypatch):
    plot = plotting(monkeypatch)
    Seat.objects.filter(handle="mirror").update(provider="fake")
    permit(plot="ask")
    calling(monkeypatch, plot_call())
    asked(room)
    [shown] = listed("alex")
    assert (shown["kind"], shown["asker"], shown["tool"]) == ("approval", "sam", "plot")
    assert json.loads(shown["content"])["tool"] == "plot"
    assert send("alex", f"/asks/{shown['id']}/answer", {"choice": "Approve"}).status_code == 200
    assert runs(room).state == "finished"
    assert len(plot.done) == 1


def test_changes_tell_whom_it_names_and_nobody_else(room):
    key = ask().json()["id"]
    listed("sam")
    send("sam", f"/asks/{key}/answer", {"choice": "Blue"})
    told = {}
    for who in ("sam", "alex", "mo"):
        items = Client().get(f"{API}/sessions/welcome/changes", headers=bearer(who)).json()["items"]
        told[who] = [one for one in items if one["type"] == "ask"]
    assert (told["alex"], told["mo"]) == ([], [])
    assert [set(one) for one in told["sam"]] == [{"type", "seq", "ask"}] * 2
    assert [(one["ask"]["id"], one["ask"]["state"]) for one in told["sam"]] == [(key, "answered")] * 2
    assert set(told["sam"][0]["ask"]) == FIELDS
