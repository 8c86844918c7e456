"""What can be done to a message over REST: the answers' shapes, who gets in, and what an agent sees of it."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
from django.test import Client

from messaging.actions.delete import delete
from messaging.actions.reclassify import reclassify
from messaging.mailbox.models import Delivery
from messaging.transcript.models import Message
from tests.cast import Room, bearer, person

pytestmark = pytest.mark.django_db
API = "/api/v1"


@pytest.fixture
def room():
    return Room.open()


class Caller:
    """A client with a token."""

    def __init__(self, handle):
        self.client, self.headers = Client(), bearer(handle)

    def send(self, method, path, body=None):
        raw = "" if body is None else json.dumps(body)
        return self.client.generic(method, API + path, raw, "application/json", headers=self.headers)

    def mail(self, **query):
        return self.client.get(f"{API}/sessions/welcome/messages", query, headers=self.headers).json()


def deeds(message):
    """Each deed with a body that its author could send."""
    path = f"/messages/{message}"
    return [
        ("PATCH", path, {"text": "new"}),
        ("DELETE", path, {"reason": "old"}),
        ("POST", f"{path}/reclassify", {"audience": "participants", "reason": "for people"}),
        ("POST", f"{path}/supersede", None),
        ("POST", f"{path}/resend", None),
    ]


def test_each_answers_its_author_with_the_message(room):
    sam = Caller("sam")
    message = room.say("sam", "a question", "active_agent")
    for method, path, body in (
        *deeds(message.id)[:1],
        *deeds(message.id)[3:],
        *deeds(message.id)[2:3],
        *deeds(message.id)[1:2],
    ):
        answer = sam.send(method, path, body)
        assert answer.status_code == 200, (path, answer.content)
        assert answer.json()["id"] == message.id
    last = answer.json()
    assert (last["text"], last["revision"], last["audience"], len(last["deliveries"])) == ("", 2, "participants", 3)
    assert last["deleted_at"] is not None


def test_hidden_and_absent_answer_alike(room):
    message = room.say("alex", "psst", "participant:mo")
    for real, absent in zip(deeds(message.id), deeds(uuid4()), strict=True):
        for who in ("sam", "xan"):
            answers = [Caller(who).send(*deed) for deed in (real, absent)]
            assert [one.status_code for one in answers] == [404, 404], real
            assert answers[0].json() == answers[1].json(), real
    assert Message.objects.get(id=message.id).text == "psst"


def test_no_name_of_a_message_breaks_them(room):
    for method, path, body in deeds("no-id"):
        assert Caller("sam").send(method, path, body).status_code == 404


def test_readable_is_403_with_a_reason(room):
    message = room.say("alex", "mine", "active_agent")
    codes = [Caller("sam").send(*deed) for deed in deeds(message.id)]
    assert [(one.status_code, one.json()["code"]) for one in codes] == [
        (403, "not_yours"), (403, "no_capability"), (403, "not_yours"), (403, "not_yours"), (403, "not_yours"),
    ]  # fmt: skip


def test_without_a_credential_401(room):
    message = room.say("alex", "mine")
    for method, path, body in deeds(message.id):
        answer = Client().generic(method, API + path, json.dumps(body or {}), "application/json")
        assert (answer.status_code, answer.json()["code"]) == (401, "not_authenticated")


@pytest.mark.parametrize(
    ("method", "path", "body", "field"),
    [("PATCH", "", {}, "text"), ("PATCH", "", {"text": 7}, "text"), ("PATCH", "", {"text": "a\x00"}, "text"),
     ("PATCH", "", {"text": "a", "audience": "everyone"}, "audience"), ("PATCH", "", {"text": "a", "revision": 0}, "revision"),
     ("DELETE", "", {"reason": "a" * 501}, "reason"), ("DELETE", "", {"text": "a"}, "text"),
     ("POST", "/reclassify", {"audience": "everyone"}, "reason"), ("POST", "/reclassify", {"audience": "everyone", "reason": ""}, "reason"),
     ("POST", "/reclassify", {"audience": "everyone", "reason": "r", "confirm": "yes"}, "confirm"),
     ("POST", "/reclassify", {"audience": "participant:sam", "reason": "r"}, "audience"),
     ("POST", "/reclassify", {"audience": "system", "reason": "r"}, "audience"),
     ("POST", "/resend", {"delivery": "no id"}, "delivery"), ("POST", "/resend", {"text": "a"}, "text")],
)  # fmt: skip
def test_a_fault_of_shape_is_422_and_names_its_field(room, method, path, body, field):
    message = room.say("alex", "hello")
    answer = Caller("alex").send(method, f"/messages/{message.id}{path}", body)
    assert (answer.status_code, answer.json()["field"]) == (422, field)
    assert Message.objects.get(id=message.id).text == "hello"


def test_what_was_lost_to_another_is_409_and_says_which(room):
    alex = Caller("alex")
    message = room.say("alex", "hello")
    alex.send("PATCH", f"/messages/{message.id}", {"text": "new", "revision": 1})
    late = alex.send("PATCH", f"/messages/{message.id}", {"text": "newer", "revision": 1})
    assert (late.status_code, late.json()["code"], late.json()["field"]) == (409, "conflict", "revision")
    unsure = alex.send("POST", f"/messages/{message.id}/reclassify", {"audience": "everyone", "reason": "r"})
    assert (unsure.status_code, unsure.json()["code"]) == (409, "confirm_required")


def test_the_trail_has_its_kinds(room):
    alex = Caller("alex")
    message = room.say("alex", "hello")
    alex.send("PATCH", f"/messages/{message.id}", {"text": "hello you"})
    alex.send(
        "POST", f"/messages/{message.id}/reclassify", {"audience": "everyone", "reason": "for all", "confirm": True}
    )
    items = alex.send("GET", f"/messages/{message.id}/history").json()["items"]
    assert [(one["kind"], one["n"], one["text"], one["from"], one["to"]) for one in items][:3] == [
        ("revision", 1, "hello", None, None), ("revision", 2, "hello you", None, None),
        ("reclassification", 2, "", "participants", "everyone"),
    ]  # fmt: skip
    assert {one["kind"] for one in items[3:]} == {"disposition"}
    assert (items[2]["actor"], items[2]["reason"]) == ("alex", "for all")


def test_changes_tell_each_deed_as_a_message(room):
    alex = Caller("alex")
    message = room.say("alex", "one")
    start = message.seq
    alex.send("PATCH", f"/messages/{message.id}", {"text": "two"})
    alex.send(
        "POST", f"/messages/{message.id}/reclassify", {"audience": "active_agent", "reason": "r", "confirm": True}
    )
    alex.send("DELETE", f"/messages/{message.id}")
    items = Caller("vic").send("GET", f"/sessions/welcome/changes?after={start}").json()["items"]
    told = [(one["type"], one["seq"]) for one in items]
    assert told == [("message", start + 1), ("message", start + 2), ("disposition", start + 3), ("disposition", start + 4),
                    ("message", start + 5), ("disposition", start + 6)]  # fmt: skip
    assert {one["message"]["id"] for one in items if one["type"] == "message"} == {message.id}
    assert items[0]["message"]["deleted_at"] is not None


@pytest.mark.django_db(databases=["default", "agents"], transaction=True)
class TestAgents:
    """What was taken back is not before an agent any more; what it reads stays in order, and gives nothing away."""

    def test_what_people_can_do_does_not_exist_for_an_agent(self, room):
        message = room.say("alex", "for all", "everyone")
        scout = Caller("scout")
        scout.mail(after=0)
        for deed in deeds(message.id):
            assert scout.send(*deed).status_code == 404, deed
        own = scout.send("POST", "/sessions/welcome/messages", {"text": "mine", "audience": "everyone"}).json()
        for method, path, body in (*deeds(own["id"])[:3], deeds(own["id"])[4]):
            assert scout.send(method, path, body).status_code == 404, path

    def test_it_withdraws_its_own_and_is_told_nothing_of_others(self, room):
        scout = Caller("scout")
        own = scout.send("POST", "/sessions/welcome/messages", {"text": "mine", "audience": "everyone"}).json()
        answer = scout.send("POST", f"/messages/{own['id']}/supersede")
        assert (answer.status_code, answer.json()["deliveries"], answer.json()["seq"]) == (200, [], own["seq"])
        assert Delivery.objects.get(message=own["id"]).state == "superseded"

    def test_what_was_withheld_is_gone_and_the_rest_keeps_its_numbers(self, room):
        said = [room.say("alex", str(n), "everyone") for n in range(5)]
        scout = Caller("scout")
        assert [one["seq"] for one in scout.mail(after=0)["items"]] == [1, 2, 3, 4, 5]
        delete(person("alex"), said[1].id)
        reclassify(person("alex"), said[3].id, "participants", "not for agents")
        assert [(one["seq"], one["text"]) for one in scout.mail(after=0)["items"]] == [(1, "0"), (3, "2"), (5, "4")]
        room.say("alex", "5", "everyone")
        assert [(one["seq"], one["text"]) for one in scout.mail(after=5)["items"]] == [(6, "5")]

    @pytest.mark.parametrize("gone", [(0,), (1, 2), (4, 5), (0, 1, 2, 3, 4, 5)])
    def test_pages_go_on_over_what_was_withheld(self, room, gone):
        said = [room.say("alex", str(n), "everyone") for n in range(6)]
        scout = Caller("scout")
        scout.mail(after=0)
        for n in gone:
            delete(person("alex"), said[n].id)
        for n in range(6, 9):
            room.say("alex", str(n), "everyone")
        wanted = [str(n) for n in range(9) if n not in gone]
        forward, after = [], 0
        for _ in range(12):
            page = scout.mail(after=after, limit=2)
            forward += [one["text"] for one in page["items"]]
            if page["next"] is None:
                break
            after = page["next"]
        backward, before = [], 10_000
        for _ in range(12):
            page = scout.mail(before=before, limit=2)
            backward = [one["text"] for one in page["items"]] + backward
            if page["next"] is None:
                break
            before = page["next"]
        assert forward == backward == wanted

    def test_who_has_read_up_to_what_was_withheld_still_gets_what_is_new(self, room):
        said = [room.say("alex", str(n), "everyone") for n in range(3)]
        scout = Caller("scout")
        scout.mail(after=0)
        for one in said[1:]:
            delete(person("alex"), one.id)
        room.say("alex", "new", "everyone")
        page = scout.mail(after=1, limit=1)
        assert ([one["text"] for one in page["items"]], page["next"]) == (["new"], None)

    def test_a_reply_to_it_shows_no_parent(self, room):
        from uuid import UUID

        parent = room.say("alex", "for all", "everyone")
        room.say("sam", "me too", "everyone", reply_to=UUID(parent.id))
        scout = Caller("scout")
        assert [one["reply_to"] for one in scout.mail(after=0)["items"]] == [None, parent.id]
        delete(person("alex"), parent.id)
        assert [(one["text"], one["reply_to"]) for one in scout.mail(after=0)["items"]] == [("me too", None)]

    def test_its_own_words_that_were_taken_back_are_gone_too(self, room):
        scout = Caller("scout")
        own = scout.send("POST", "/sessions/welcome/messages", {"text": "mine", "audience": "everyone"}).json()
        kept = scout.send("POST", "/sessions/welcome/messages", {"text": "kept", "audience": "everyone"}).json()
        delete(person("mo"), own["id"], "wrong")
        assert [(one["text"], one["seq"]) for one in scout.mail(after=0)["items"]] == [("kept", kept["seq"])]
