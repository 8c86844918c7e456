"""A message's trail: what each who may read the message reads of it, and what of it is not for them."""

from __future__ import annotations

import pytest

from messaging.actions.delete import delete
from messaging.actions.edit import edit
from messaging.actions.reclassify import reclassify
from messaging.actions.stop import stop
from messaging.actions.supersede import supersede
from messaging.roster.access import Hidden
from messaging.transcript.history import history
from tests.actions.deeds import answered, begun
from tests.cast import Room, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def room():
    return Room.open()


def lines(who, message):
    """Each line in a word or two."""
    told = []
    for row in history(person(who), message.id):
        match row.kind:
            case "disposition":
                told.append(f"{row.agent} {row.state}")
            case "revision":
                told.append(f"{row.n}: {row.text}")
            case "reclassification":
                told.append(f"{row.before} to {row.after}")
            case other:
                told.append(other)
    return told


def test_of_what_only_people_heard_and_nobody_changed_there_is_nothing(room):
    assert lines("sam", room.say("alex", "hello")) == []


def test_it_is_told_in_the_order_in_which_it_happened(room):
    message = room.say("alex", "one", "active_agent")
    edit(person("alex"), message.id, "two")
    answered(room)
    reclassify(person("mo"), message.id, "participants", "not for agents")
    reclassify(person("mo"), message.id, "active_agent", "for the agent after all", confirm=True)
    supersede(person("mo"), message.id)
    delete(person("mo"), message.id, "enough")
    rows = history(person("sam"), message.id)
    assert [row.at for row in rows] == sorted(row.at for row in rows)
    assert lines("sam", message) == [
        "1: ", "mirror accepted", "mirror queued", "2: ", "mirror superseded", "mirror accepted", "mirror queued",
        "mirror delivered", "mirror responded", "active_agent to participants", "participants to active_agent",
        "mirror accepted", "mirror queued", "mirror superseded", "deleted",
    ]  # fmt: skip
    assert [(row.actor, row.reason) for row in rows if row.kind in ("reclassification", "deleted")] == [
        ("mo", "not for agents"), ("mo", "for the agent after all"), ("mo", "enough"),
    ]  # fmt: skip


def test_each_step_says_which_text_it_is_about(room):
    message = room.say("alex", "one", "active_agent")
    edit(person("alex"), message.id, "two")
    steps = [(row.state, row.n) for row in history(person("sam"), message.id) if row.kind == "disposition"]
    assert steps == [("accepted", 1), ("queued", 1), ("superseded", 1), ("accepted", 2), ("queued", 2)]


@pytest.mark.parametrize("who", ["alex", "mo", "sam", "vic", "gus"])
@pytest.mark.parametrize("said", ["participants", "active_agent", "everyone"])
def test_all_who_may_read_it_read_its_texts(room, who, said):
    message = room.say("alex", "one", said)
    edit(person("alex"), message.id, "two")
    assert [line for line in lines(who, message) if line[0] in "12"] == ["1: one", "2: two"]


@pytest.mark.parametrize(("who", "sees"), [("alex", True), ("sam", True), ("mo", False), ("xan", False)])
def test_the_texts_of_a_direct_message_are_for_those_it_is_for(room, who, sees):
    message = room.say("alex", "one", "participant:sam")
    edit(person("alex"), message.id, "two")
    if sees:
        assert lines(who, message) == ["1: one", "2: two"]
    else:
        with pytest.raises(Hidden):
            history(person(who), message.id)


class TestOpenedToAll:
    """Whoever sees it only since it was opened reads what it has said since, and no word from before."""

    @pytest.fixture
    def opened(self, room):
        message = room.say("alex", "a canary", "participant:sam")
        edit(person("alex"), message.id, "another canary")
        edit(person("alex"), message.id, "what all may read")
        reclassify(person("alex"), message.id, "participants", "no secret any more")
        edit(person("alex"), message.id, "what all read now")
        return message

    @pytest.mark.parametrize("who", ["mo", "vic", "gus", "sam"])
    def test_others_read_what_it_said_from_then_on(self, opened, who):
        told = lines(who, opened)
        assert "canary" not in str(told)
        assert told == ["3: what all may read", "participant:sam to participants", "4: what all read now"]

    def test_its_author_reads_all(self, opened):
        assert lines("alex", opened)[:2] == ["1: a canary", "2: another canary"]

    def test_a_later_change_does_not_bring_it_back(self, room, opened):
        reclassify(person("mo"), opened.id, "active_agent", "for the agent, too", confirm=True)
        assert "canary" not in str(lines("mo", opened))
        delete(person("alex"), opened.id)
        assert "canary" not in str(lines("mo", opened))

    def test_changes_among_those_who_could_read_it_hide_nothing(self, room):
        message = room.say("alex", "one", "participants")
        edit(person("alex"), message.id, "two")
        reclassify(person("alex"), message.id, "active_agent", "for the agent", confirm=True)
        assert [line for line in lines("vic", message) if line[0] in "12"] == ["1: one", "2: two"]


@pytest.mark.parametrize("who", ["alex", "sam"])
def test_no_text_is_left_once_it_is_deleted(room, who):
    message = room.say("alex", "a canary")
    edit(person("alex"), message.id, "another canary")
    delete(person("alex"), message.id)
    assert lines(who, message) == ["1: ", "2: ", "deleted"]


def test_it_tells_of_a_turn_that_took_it_in_and_gave_no_answer(room):
    asked = room.say("sam", "a question", "active_agent")
    begun(room)
    stop(person("mo"), room.session)
    last = history(person("vic"), asked.id)[-1]
    assert (last.kind, last.state, last.actor, last.agent) == ("turn", "stopped", "mo", "mirror")
    answer = room.say("sam", "another", "active_agent")
    answered(room)
    assert "turn" not in lines("vic", answer)
