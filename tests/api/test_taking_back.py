"""Answers taken back along with their message, and to whom a message goes again, over REST."""

from __future__ import annotations

import pytest

from messaging.actions.configure import configure
from messaging.actions.supersede import supersede
from messaging.transcript.models import AuditEntry, Message
from tests.actions.deeds import answered, audited
from tests.api.test_deeds import Caller
from tests.cast import Room, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def room():
    return Room.open()


def asked(room):
    question = room.say("sam", "kumquat", "active_agent")
    answered(room, "you said kumquat")
    return f"/messages/{question.id}", Message.objects.get(answers=question.id)


@pytest.mark.parametrize(
    ("body", "stays"), [(None, True), ({}, True), ({"answers": "keep"}, True), ({"answers": "take_back"}, False)]
)
def test_deleting_keeps_the_answers_unless_it_says_otherwise(room, body, stays):
    path, answer = asked(room)
    assert Caller("sam").send("DELETE", path, body).status_code == 200
    assert (Message.objects.get(id=answer.id).deleted_at is None) is stays


@pytest.mark.parametrize(("wish", "audience"), [({}, "everyone"), ({"answers": "take_back"}, "participants")])
def test_making_it_people_only_does_likewise(room, wish, audience):
    path, answer = asked(room)
    body = {"audience": "participants", "reason": "a secret", **wish}
    assert Caller("sam").send("POST", f"{path}/reclassify", body).status_code == 200
    assert Message.objects.get(id=answer.id).audience == audience


def test_who_may_not_is_refused_and_nothing_changes(room):
    path, answer = asked(room)
    for who in ("vic", "gus"):
        for method, where, body in (
            ("DELETE", path, {"reason": "x", "answers": "take_back"}),
            ("POST", f"{path}/reclassify", {"audience": "participants", "reason": "x", "answers": "take_back"}),
        ):
            assert Caller(who).send(method, where, body).status_code == 403
    assert Message.objects.get(id=answer.id).deleted_at is None
    assert Message.objects.get(id=answer.id).audience == "everyone"


def test_a_fault_names_its_field(room):
    path, _ = asked(room)
    sam = Caller("sam")
    towards = {"audience": "everyone", "reason": "x", "confirm": True, "answers": "take_back"}
    for method, where, body, field in (
        ("DELETE", path, {"answers": "all"}, "answers"),
        ("POST", f"{path}/reclassify", towards, "answers"),
        ("POST", f"{path}/resend", {"agents": "scout"}, "agents"),
    ):
        answer = sam.send(method, where, body)
        assert (answer.status_code, answer.json()["field"]) == (422, field), body


def test_who_moderates_deletes_once_more_without_a_reason(room):
    message = room.say("sam", "spam")
    mo = Caller("mo")
    first = mo.send("DELETE", f"/messages/{message.id}", {"reason": "spam"})
    again = mo.send("DELETE", f"/messages/{message.id}")
    assert (again.status_code, again.json()) == (200, first.json())
    assert Caller("vic").send("DELETE", f"/messages/{message.id}").status_code == 403


class TestSendingAgain:
    def test_the_answer_says_to_whom_it_went(self, room):
        path, _ = asked(room)
        sam = Caller("sam")
        assert sam.send("POST", f"{path}/resend").json()["sent_to"] == ["mirror"]
        answered(room)
        configure(person("alex"), room.session, active_agent="scout")
        told = sam.send("POST", f"{path}/resend").json()
        assert told["sent_to"] == ["scout"]
        assert told["deliveries"][-1]["agent"] == "scout"

    def test_it_goes_to_nobody_else_than_was_meant(self, room):
        path, _ = asked(room)
        configure(person("alex"), room.session, active_agent="scout")
        refused = Caller("sam").send("POST", f"{path}/resend", {"agents": ["mirror"]})
        assert (refused.status_code, refused.json()["code"], refused.json()["field"]) == (409, "conflict", "agents")
        assert [one["agent"] for one in Caller("sam").send("GET", path).json()["deliveries"]] == ["mirror"]

    def test_it_is_on_record(self, room):
        question = room.say("sam", "kumquat", "active_agent")
        supersede(person("sam"), question.id)
        Caller("sam").send("POST", f"/messages/{question.id}/resend")
        assert audited(question) == [("superseded", "sam"), ("resent", "sam")]
        assert AuditEntry.objects.get(verb="resent").detail == {"agents": ["mirror"], "revision": 1}

    @pytest.mark.parametrize(("audience", "capability"), [("active_agent", "post_agent"), ("everyone", "post_agent")])
    def test_a_refusal_is_on_record_with_what_it_takes(self, room, audience, capability):
        question = room.say("sam", "kumquat", audience)
        assert Caller("mo").send("POST", f"/messages/{question.id}/resend").status_code == 403
        entry = AuditEntry.objects.get(verb="refused")
        assert (entry.actor, entry.session, entry.detail) == (
            "mo", room.session.id, {"capability": capability, "code": "not_yours"},
        )  # fmt: skip
