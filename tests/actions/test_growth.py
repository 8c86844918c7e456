"""A message that is changed or sent again and again stays something that everybody can read."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from messaging.actions import subject
from messaging.actions.edit import edit
from messaging.actions.resend import resend
from messaging.actions.supersede import supersede
from messaging.transcript.changes import MOST_ALIKE
from tests.actions.deeds import refused
from tests.cast import Room, bearer, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def room() -> Room:
    return Room.open()


def test_after_a_hundred_texts_it_is_told_to_write_a_new_one(room: Room):
    message = room.say("alex", "text 1")
    for n in range(2, subject.MOST_REVISIONS + 1):
        edit(person("alex"), message.id, f"text {n}")
    assert refused(lambda: edit(person("alex"), message.id, "one more")) == (409, "too_often")
    assert edit(person("alex"), message.id, f"text {subject.MOST_REVISIONS}").revision == subject.MOST_REVISIONS
    assert edit(person("alex"), room.say("alex", "another").id, "goes on").revision == 2


def test_nor_is_it_put_before_agents_without_end(room: Room, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(subject, "MOST_DELIVERIES", 3)
    message = room.say("sam", "question", "active_agent")
    for _ in range(2):
        supersede(person("sam"), message.id)
        resend(person("sam"), message.id)
    supersede(person("sam"), message.id)
    assert refused(lambda: resend(person("sam"), message.id)) == (409, "too_often")


def test_one_reading_shows_a_message_a_few_times_however_often_it_was_changed(room: Room):
    message, other = room.say("alex", "text 1", "everyone"), room.say("alex", "other")
    for n in range(2, 20):
        edit(person("alex"), message.id, f"text {n}")
    answer = Client().get("/api/v1/sessions/welcome/changes?after=0", headers=bearer("sam"))
    frames = [frame for frame in json.loads(answer.content)["items"] if frame["type"] == "message"]
    of = [frame["message"]["id"] for frame in frames]
    assert (of.count(message.id), of.count(other.id)) == (1 + MOST_ALIKE, 1)
    assert [frame["message"]["text"] for frame in frames if frame["message"]["id"] == message.id] == ["text 19"] * 8
