"""Stopping, starting afresh and steering over REST."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from messaging.actions.collect import collect
from messaging.mailbox.models import Turn
from messaging.mailbox.say import answer
from messaging.roster.models import Account
from tests.actions.deeds import at_work
from tests.cast import Room, bearer

pytestmark = pytest.mark.django_db
API = "/api/v1/sessions/welcome"


@pytest.fixture
def room() -> Room:
    return Room.open()


def send(handle: str, path: str, body: object = None):
    raw = "" if body is None else json.dumps(body)
    return Client().generic("POST", API + path, raw, "application/json", headers=bearer(handle))


def turns(handle: str):
    return Client().get(f"{API}/turns", headers=bearer(handle)).json()["items"]


@pytest.mark.parametrize("body", [None, {}, {"scope": None}, {"scope": "own"}])
def test_stop_says_whether_anything_ran(room, body):
    assert send("sam", "/stop", body).json() == {"stopped": False}
    at_work(room)
    answered = send("sam", "/stop", body)
    assert (answered.status_code, answered.json()) == (200, {"stopped": True})
    assert send("sam", "/stop", body).json() == {"stopped": False}
    assert Turn.objects.get().state == "stopped"


def test_a_session_is_stopped_by_those_who_reach_others(room):
    at_work(room)
    refused = send("sam", "/stop", {"scope": "session"})
    assert (refused.status_code, refused.json()["code"]) == (403, "not_yours")
    assert send("mo", "/stop", {"scope": "session"}).json() == {"stopped": True}


@pytest.mark.parametrize("body", [{"scope": "all"}, {"scope": 1}, {"reach": "own"}, []])
def test_a_wrong_scope_is_refused_and_stops_nothing(room, body):
    at_work(room)
    assert send("alex", "/stop", body).status_code == 422
    assert Turn.objects.get().state == "running"


@pytest.mark.parametrize(("who", "status"), [("vic", 403), ("gus", 403), ("xan", 404), ("scout", 404)])
@pytest.mark.parametrize("path", ["/stop", "/new"])
def test_who_may_not_is_refused_and_who_is_outside_finds_nothing(room, who, status, path):
    at_work(room)
    assert send(who, path).status_code == status
    assert Turn.objects.get().state == "running"


@pytest.mark.parametrize("path", ["/stop", "/new"])
def test_by_cookie_it_takes_the_csrf_token(room, path):
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(Account.objects.get(username="alex"))
    at_work(room)
    assert browser.post(f"{API}{path}").status_code == 403
    assert Turn.objects.get().state == "running"


def test_new_stops_and_starts_afresh(room):
    at_work(room)
    answered = send("sam", "/new")
    assert (answered.status_code, answered.json()) == (200, {"stopped": True})
    assert send("sam", "/new").json() == {"stopped": False}
    assert room.seat("mirror").fresh_from == 1


def test_new_waits_for_nobody_and_cuts_nobody_off(room):
    at_work(room, "mo")
    refused = send("sam", "/new")
    assert (refused.status_code, refused.json()["code"]) == (409, "busy")


def test_a_turn_tells_whether_it_can_be_steered_and_by_what_it_was(room):
    held = at_work(room)
    [turn] = turns("vic")
    assert (turn["window"], turn["steers"]) == ("open", [])
    body = {"text": "rather so", "audience": "active_agent", "delivery": "steer"}
    message = send("mo", "/messages", body).json()
    [delivery] = message["deliveries"]
    assert (delivery["disposition"], delivery["turn"]) == ("steering_requested", turn["id"])
    answer(held, "first")
    answer(held, "second")
    collect(room.session.id)
    [turn] = turns("vic")
    assert (turn["state"], turn["window"], turn["steers"]) == ("finished", "closed", [message["id"]])


def test_steering_an_idle_agent_is_told_as_waiting(room):
    body = {"text": "rather so", "audience": "active_agent", "delivery": "steer"}
    answered = send("sam", "/messages", body)
    assert answered.status_code == 201
    assert [(one["disposition"], one["reason"]) for one in answered.json()["deliveries"]] == [("queued", "idle")]
