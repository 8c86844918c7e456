"""What is told from memory is what a reading of the tables tells."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from messaging.actions import facts
from messaging.actions.draft import Draft, Posted
from messaging.actions.post import post
from messaging.mailbox.models import Seat
from messaging.roster import known
from messaging.roster.models import Person
from messaging.transcript import build, fresh
from messaging.transcript.models import Message
from tests.cast import Room, agent, frames, person

pytestmark = pytest.mark.django_db(transaction=True)
AUDIENCES = [
    ("alex", "participants", {}),
    ("alex", "active_agent", {}),
    ("alex", None, {}),
    ("alex", "everyone", {}),
    ("alex", "participant:sam", {}),
    ("alex", ["participant:sam", "participant:mo"], {}),
    ("alex", "agent:scout", {"dispatch": "future_turn"}),
    ("scout", "everyone", {}),
    ("scout", "participant:mo", {"on_behalf_of": "sam"}),
]


@pytest.fixture
def room():
    room = Room.open()
    fresh.follow(room.session.id)
    yield room
    fresh.unfollow(room.session.id)


def draft(room, who, said, text="hello", **more):
    caller = agent(who) if who == "scout" else person(who)
    return Draft(caller, room.session.id, text, said, **more)


@pytest.mark.parametrize(("who", "said", "more"), AUDIENCES)
def test_a_new_message_looks_as_a_reader_finds_it(room, who, said, more):
    (outcome,) = post([draft(room, who, said, **more)])
    assert isinstance(outcome, Posted)
    read = build.messages(build.joined(Message.objects.filter(id=outcome.message.id)))
    assert [outcome.message] == read


def test_a_batch_is_told_in_the_very_frames_that_a_reader_gets(room):
    start = room.say("alex", "before").seq
    fresh.after(room.session.id, 0)
    post([draft(room, who, said, f"text {n}", **more) for n, (who, said, more) in enumerate(AUDIENCES)])
    told = [frame for stretch in fresh.after(room.session.id, start) for frame in stretch.frames]
    read = frames(room.session.id, start)
    assert len(told) > len(AUDIENCES)
    assert told == read


def test_what_rolls_back_is_told_to_nobody(room, monkeypatch):
    start = room.say("alex", "before").seq
    fresh.after(room.session.id, 0)
    monkeypatch.setattr("messaging.actions.post._write", lambda ones, purse, told: told.append("never") or 1 / 0)
    with pytest.raises(ZeroDivisionError):
        post([draft(room, "alex", "participants")])
    assert fresh.after(room.session.id, start) == []


def test_a_session_that_nobody_follows_is_not_kept(room):
    fresh.unfollow(room.session.id)
    room.say("alex", "hello")
    fresh.follow(room.session.id)
    assert fresh.after(room.session.id, 0) == []


def statements(drafts):
    with CaptureQueriesContext(connection) as queries:
        post(drafts)
    return len(queries)


@pytest.mark.parametrize("said", ["participants", "everyone"])
def test_the_number_of_statements_does_not_follow_the_number_of_drafts(room, said):
    post([draft(room, who, said) for who in ("alex", "sam", "mo")])
    one = statements([draft(room, "alex", said, client_key="k")])
    # A batch of many more drafts, by several authors; SQLite's `executemany` counts as one.
    many = statements(
        [draft(room, who, said, client_key=f"{who} {n}") for n in range(20) for who in ("alex", "sam", "mo")]
    )
    assert many <= one
    if said == "participants":
        assert one <= 8


def test_a_name_that_changes_is_told_as_it_is_now(room):
    room.say("alex", "before")
    Person.objects.filter(handle__spelled="sam").update(name="Samuel")
    said = room.say("alex", "hello", "participant:sam")
    assert said.target_names == ["Samuel"]


def test_a_role_that_was_rolled_back_is_not_remembered(room):
    from django.db import transaction

    from messaging.roster.models import Membership

    with pytest.raises(ZeroDivisionError), transaction.atomic():
        Membership.objects.filter(person__handle__spelled="vic").update(role="owner")
        room.say("vic", "as an owner for a moment", "active_agent")
        raise ZeroDivisionError
    # Another change gives the epoch the number that it had within what was rolled back.
    Membership.objects.filter(person__handle__spelled="gus").update(role="viewer")
    assert room.refused("vic", "as a viewer", "active_agent").code == "no_capability"


def test_what_is_remembered_saves_questions_and_changes_nothing(room):
    room.say("alex", "before")
    warm = statements([draft(room, "alex", "participants")])
    known.forget()
    assert statements([draft(room, "alex", "participants")]) > warm


def test_seats_that_could_not_be_read_are_not_remembered_as_none(room, monkeypatch):
    room.say("alex", "before")
    real = facts.Seat.objects.filter
    monkeypatch.setattr(facts.Seat.objects, "filter", lambda **_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        room.say("alex", "a question", "active_agent")
    monkeypatch.setattr(facts.Seat.objects, "filter", real)
    assert room.say("alex", "a question", "active_agent").deliveries


def test_a_seat_closed_by_hand_gets_nothing_more(room):
    room.say("alex", "to scout", "agent:scout", dispatch="future_turn")
    Seat.objects.filter(handle="scout").update(open=False)
    assert room.refused("alex", "to scout", "agent:scout", dispatch="future_turn").code == "no_such_target"
