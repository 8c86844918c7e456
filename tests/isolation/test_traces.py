"""No trace of what somebody may not see: no id, no addressee, no answer to a clever question."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.test import Client

from messaging.actions.manage_members import remove_member
from messaging.roster.models import Account
from tests.cast import Room, agent, bearer, person

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "agents"])


@pytest.fixture
def room():
    return Room.open()


def mail(handle="scout"):
    """What the agent's own face shows it."""
    return Client().get("/api/v1/sessions/welcome/messages", headers=bearer(handle)).json()["items"]


def browser(handle):
    client = Client()
    client.force_login(Account.objects.get(username=handle))
    return client


def test_an_agent_gets_no_re_to_what_was_taken_away_before_it_was_shown(room):
    parent = room.say("sam", "gone before you looked", "everyone")
    room.say("alex", "a reply", "everyone", reply_to=UUID(parent.id))
    remove_member(person("alex"), room.session, "sam")
    assert [(item["text"], item["reply_to"]) for item in mail()] == [("a reply", None)]


def test_an_agent_gets_re_to_what_it_was_shown(room):
    parent = room.say("sam", "seen", "everyone")
    room.say("alex", "a reply", "everyone", reply_to=UUID(parent.id))
    assert [item["reply_to"] for item in mail()] == [None, parent.id]


@pytest.mark.parametrize("said", ["participants", "participant:sam"])
def test_an_agent_is_not_told_whom_a_reply_to_hidden_words_is_for(room, said):
    hidden = room.say("alex", "between us", said)
    room.say("sam", "aloud", "everyone", reply_to=UUID(hidden.id))
    assert [(item["text"], item["to"], item["reply_to"]) for item in mail()] == [("aloud", [], None)]


def test_a_reply_that_more_people_hear_names_no_direct_parent(room):
    hidden = room.say("alex", "psst", "participant:sam")
    loud = room.say("sam", "aloud", "participants", reply_to=UUID(hidden.id))
    seen = Client().get(f"/api/v1/messages/{loud.id}", headers=bearer("mo")).json()
    assert (seen["reply_to"], seen["to"]) == (None, [])
    assert hidden.id not in browser("mo").get("/s/welcome/").content.decode()


def test_a_reply_within_the_circle_names_its_parent(room):
    hidden = room.say("alex", "psst", ["participant:sam", "participant:mo"])
    reply = room.say("sam", "to alex alone", "participant:alex", reply_to=UUID(hidden.id))
    assert (reply.reply_to, reply.to) == (hidden.id, ["alex"])


def test_a_reply_to_an_agents_direct_message_is_never_made_public_by_itself(room):
    direct = room.say(agent("scout"), "just you", "participant:sam")
    refusal = room.refused("sam", "a secret answer", None, reply_to=UUID(direct.id))
    assert (refusal.status, refusal.field) == (422, "audience")


@pytest.mark.parametrize(
    ("path", "answers"),
    [("transcript/message/?text__startswith=ps", False), ("roster/account/?password__startswith=x", False),
     ("roster/token/?hash__startswith=x", False), ("transcript/message/?session__messages__text__contains=p", False),
     ("transcript/message/?audience__exact=participant", True)],
)  # fmt: skip
def test_the_back_offices_lists_cannot_be_asked_about_what_they_hide(room, path, answers):
    """The number of results would tell how the hidden text begins."""
    room.say("sam", "psst", "participant:mo")
    assert (browser("alex").get(f"/admin/{path}").status_code == 200) is answers


@pytest.mark.parametrize(
    ("handle", "more", "status"),
    [(None, {}, 200), (None, {"REMOTE_ADDR": "10.1.2.3"}, 404), (None, {"HTTP_X_FORWARDED_FOR": "10.1.2.3"}, 404),
     ("scout", {}, 404), ("sam", {}, 404), ("alex", {"REMOTE_ADDR": "10.1.2.3"}, 200)],
)  # fmt: skip
def test_counts_are_for_this_machine_and_those_who_keep_the_house(room, handle, more, status):
    headers = bearer(handle) if handle else {}
    assert Client().get("/metrics", headers=headers, **more).status_code == status


def test_no_slug_can_pose_as_the_id_of_a_session(room):
    body = {"title": "A trap", "slug": str(room.session.id)}
    made = Client().post("/api/v1/sessions", body, "application/json", headers=bearer("gus"))
    assert (made.status_code, made.json()["field"]) == (422, "slug")


def test_there_is_one_door_with_one_bound_on_guesses(room):
    answer = Client().post("/admin/login/?next=/admin/", {"username": "alex", "password": "a guess"})
    assert (answer.status_code, answer["Location"]) == (302, "/sign-in/?next=/admin/")
