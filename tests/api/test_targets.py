"""Whom one may address: what is listed is taken, what is not is refused, and agents learn of nobody new."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from messaging.actions.enrol import add_agent
from messaging.actions.join import join
from messaging.actions.take import take
from messaging.domain.capability import Role
from messaging.domain.dispatch import MAX_HOPS, Mode
from messaging.mailbox.models import Delivery, Seat
from messaging.roster.models import Person, Session
from tests.cast import Room, agent, bearer

pytestmark = pytest.mark.django_db
PLAIN = {"participants", "active_agent", "everyone"}


@pytest.fixture
def room() -> Room:
    room = Room.open()
    owner = Person.objects.get(handle__spelled="alex")
    join(room.session, add_agent("archivist", kind="hosted", provider="mirror", owner=owner), Role.AGENT)
    return room


def targets(handle: str) -> Any:
    answer = Client().get("/api/v1/sessions/welcome/targets", headers=bearer(handle))
    assert answer.status_code == 200
    return answer.json()


def modes(handle: str) -> dict[str, list[str]]:
    return {one["id"]: one["modes"] for one in targets(handle)["agents"]}


def test_a_member_is_told_the_people_the_agents_and_their_modes(room):
    got = targets("sam")
    assert got["audiences"] == ["participants", "active_agent", "everyone"]
    assert {one["id"] for one in got["people"]} == {"alex", "mo", "vic", "gus"}
    assert modes("sam") == {
        "archivist": ["consult", "future_turn", "child_session", "advisor"],
        "mirror": ["future_turn", "child_session"],
        "scout": ["future_turn"],
    }
    assert [one["id"] for one in got["agents"] if one["active"]] == ["mirror"]
    assert {one["id"]: one["agent_kind"] for one in got["agents"]}["scout"] == "connected"


@pytest.mark.parametrize(
    ("who", "audiences", "people"), [("vic", ["participants"], True), ("gus", ["participants"], False)]
)
def test_who_may_less_is_told_less(room, who, audiences, people):
    got = targets(who)
    assert got["audiences"] == audiences
    assert bool(got["people"]) is people
    assert got["agents"] == []


def test_outside_there_is_nothing(room):
    assert Client().get("/api/v1/sessions/welcome/targets", headers=bearer("xan")).status_code == 404


@pytest.mark.parametrize("who", ["alex", "sam", "vic", "gus", "scout"])
def test_what_is_listed_is_taken_and_what_is_not_is_refused(room, who):
    got, speaker = targets(who), agent("scout") if who == "scout" else who
    listed = {(one["id"], mode) for one in got["agents"] for mode in one["modes"]}
    for handle in ("archivist", "mirror", "scout"):
        for mode in Mode:
            if handle != who:
                taken = tried(room, speaker, f"agent:{handle}", mode)
                assert taken is ((handle, mode) in listed), (handle, mode)
    for word in PLAIN:
        assert tried(room, speaker, word, "") is (word in got["audiences"])
    for handle in ("sam", "mo"):
        if who not in (handle, "scout"):
            assert tried(room, speaker, f"participant:{handle}", "") is any(
                one["id"] == handle for one in got["people"]
            )


def tried(room: Room, who, said: str, mode: str) -> bool:
    from messaging.actions.draft import Refusal

    try:
        room.say(who, "hello", said, dispatch=mode)
    except Refusal:
        return False
    return True


def test_policy_narrows_the_list(room):
    Seat.objects.filter(handle="archivist").update(policy={"modes": ["child_session"]})
    Seat.objects.filter(handle="mirror").update(policy={"namespaces": ["lab"]})
    assert modes("sam") == {"archivist": ["child_session"], "scout": ["future_turn"]}
    assert "active_agent" not in targets("sam")["audiences"]


def test_at_its_depth_a_session_opens_no_side_sessions(room):
    Session.objects.filter(id=room.session.id).update(depth=2)
    assert modes("sam")["archivist"] == ["future_turn"]


class TestForAnAgent:
    def test_it_learns_of_those_people_alone_who_spoke_to_it(self, room):
        room.say("vic", "among people")
        room.say("sam", "to scout", "agent:scout", dispatch="future_turn")
        assert targets("scout")["people"] == [], "before it was shown"
        take(agent("scout"), room.session, 10)
        assert targets("scout")["people"] == [{"id": "sam", "name": "Sam"}]

    def test_it_is_told_of_no_agent_that_it_may_not_go_on_to(self, room):
        room.say("sam", "to scout", "agent:scout", dispatch="future_turn")
        take(agent("scout"), room.session, 10)
        assert modes("scout")["archivist"] == ["future_turn", "child_session"]
        Delivery.objects.update(hops=MAX_HOPS)
        assert targets("scout")["agents"] == []
        assert "active_agent" not in targets("scout")["audiences"]
