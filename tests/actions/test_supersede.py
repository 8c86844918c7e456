"""Withdrawing: from agents that have not been shown it yet, by who may, and whoever was too slow is told."""

from __future__ import annotations

import pytest

from messaging.actions.delete import delete
from messaging.actions.draft import Refusal
from messaging.actions.supersede import supersede
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Delivery
from messaging.transcript import read
from messaging.transcript.models import AuditEntry
from tests.actions.deeds import audited, begun, fates, heard_by_scout, put_out, refused
from tests.cast import Room, agent, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def room():
    return Room.open()


def test_no_agent_gets_it_and_people_keep_it(room):
    message = room.say("sam", "never mind", "active_agent")
    after = supersede(person("sam"), message.id)
    assert fates(message) == [("mirror", "superseded", "withdrawn", 1)]
    assert (after.text, after.ever_delivered, after.deleted_at) == ("never mind", False, None)
    assert read.message(person("vic"), message.id) == after
    assert claim(room.seat("mirror").id) is None
    assert audited(message) == [("superseded", "sam")]
    assert AuditEntry.objects.get(about=message.id).detail == {"agents": ["mirror"]}


def test_what_waited_behind_it_comes_next(room):
    first, second = room.say("alex", "one", "active_agent"), room.say("sam", "two", "active_agent")
    supersede(person("alex"), first.id)
    assert room.delivery(second, "mirror").cleared_at is not None


def test_who_was_too_slow_is_told_and_changes_nothing(room):
    message = room.say("sam", "never mind", "active_agent")
    begun(room)
    with pytest.raises(Refusal, match="Mirror has it already") as caught:
        supersede(person("sam"), message.id)
    assert (caught.value.status, caught.value.code) == (409, "too_late")
    assert (fates(message), audited(message)) == ([("mirror", "delivered", "", 1)], [])


def test_of_several_agents_those_who_have_it_keep_it(room):
    message = room.say("sam", "for all", "everyone")
    heard_by_scout(room)
    after = supersede(person("sam"), message.id)
    assert fates(message) == [("mirror", "superseded", "withdrawn", 1), ("scout", "delivered", "", 1)]
    assert after.ever_delivered
    assert Delivery.objects.get(message=message.id, seat__handle="scout").withheld_at is None


@pytest.mark.parametrize("said", ["participants", "participant:mo"])
def test_of_what_is_for_people_nothing_waits(room, said):
    message = room.say("sam", "to people", said)
    assert refused(lambda: supersede(person("sam"), message.id)) == (409, "too_late")


def test_twice_is_too_late(room):
    message = room.say("sam", "never mind", "active_agent")
    supersede(person("sam"), message.id)
    assert refused(lambda: supersede(person("sam"), message.id)) == (409, "too_late")


def test_a_deleted_one(room):
    message = room.say("sam", "never mind", "active_agent")
    delete(person("sam"), message.id)
    assert refused(lambda: supersede(person("sam"), message.id)) == (409, "deleted")


class TestWhoMay:
    @pytest.mark.parametrize("who", ["alex", "mo"])
    def test_owners_and_moderators_anybodys(self, room, who):
        message = room.say("sam", "a question", "active_agent")
        after = supersede(person(who), message.id)
        assert (after.author.id, fates(message)) == ("sam", [("mirror", "superseded", "withdrawn", 1)])
        assert audited(message) == [("superseded", who)]

    def test_members_their_own_alone(self, room):
        message = room.say("alex", "a question", "active_agent")
        assert refused(lambda: supersede(person("sam"), message.id)) == (403, "not_yours")
        assert fates(message) == [("mirror", "queued", "", 1)]

    @pytest.mark.parametrize("who", ["vic", "gus"])
    def test_nobody_who_lacks_the_right(self, room, who):
        message = room.say("alex", "a question", "active_agent")
        assert refused(lambda: supersede(person(who), message.id)) == (403, "no_capability")

    def test_who_is_outside_or_was_put_out_finds_nothing(self, room):
        message = room.say("sam", "a question", "active_agent")
        put_out(room, "sam")
        for who in ("sam", "xan"):
            assert refused(lambda who=who: supersede(person(who), message.id)) == (404, "not_found")

    def test_an_agent_its_own(self, room):
        message = room.say(agent("scout"), "a question", "active_agent")
        supersede(agent("scout"), message.id)
        assert fates(message) == [("mirror", "superseded", "withdrawn", 1)]

    def test_what_others_said_is_absent_for_an_agent_even_where_it_heard_it(self, room):
        message = room.say("sam", "for all", "everyone")
        heard_by_scout(room)
        assert refused(lambda: supersede(agent("scout"), message.id)) == (404, "not_found")
        assert fates(message)[0] == ("mirror", "queued", "", 1)
