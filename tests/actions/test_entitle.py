"""Titles that nobody gave: of what agents were told alone, a person's word above them, gone with what they were made of."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from messaging.actions.collect import collect
from messaging.actions.configure import configure
from messaging.actions.delete import delete
from messaging.actions.enrol import add_agent
from messaging.actions.join import join
from messaging.actions.open_session import Beginning, open_session
from messaging.actions.reclassify import reclassify
from messaging.agents import past, turn
from messaging.agents.context import Digest, Wish
from messaging.domain import title
from messaging.domain.capability import Role
from messaging.domain.title import LONGEST, UNTITLED, By
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Seat
from messaging.roster.models import Agent, Person, Session
from tests.agents.fakes import Digesting, put_in
from tests.cast import Room, frames, person

pytestmark = pytest.mark.django_db
CANARY = "CANARY-40fe"


@pytest.fixture
def model(monkeypatch) -> Digesting:
    def first_words(digest: Digest) -> Iterator[str]:
        yield '"About ' + " and ".join(line.text for line in digest.lines) + '"\n'

    return put_in(monkeypatch, Digesting(first_words))


@pytest.fixture
def room(model) -> Room:
    """A session without a title, whose agent can propose one."""
    seeded = Room.open()
    mirror = Agent.objects.get(handle__spelled="mirror")
    made = open_session(
        Person.objects.get(handle__spelled="alex"),
        title=UNTITLED,
        active_agent=mirror,
        beginning=Beginning(By.NOBODY),
    )
    join(made, Person.objects.get(handle__spelled="sam"), Role.MEMBER)
    Seat.objects.update(provider="fake")
    assert seeded.session.title_by == By.PERSON
    return Room(made)


def asked(room: Room, text: str = "parrots", who: str = "alex") -> None:
    """A question, its answer, and what the agents' process does after it."""
    room.say(who, text, "active_agent")
    held = claim(room.seat("mirror").id)
    assert held is not None
    turn.run(held, lambda: False)
    collect(room.session.id)
    past.tidy(held.seat, lambda: False)
    collect(room.session.id)


def named(room: Room) -> tuple[str, str]:
    row = Session.objects.get(id=room.session.id)
    return row.title, row.title_by


def test_after_the_first_answer_it_is_named_by_what_the_agent_was_told(room, model):
    room.say("sam", f"{CANARY} among people")
    room.say("sam", f"{CANARY} to alex", "participant:alex")
    asked(room)
    assert named(room) == ("About parrots and fine", By.AGENT)
    assert [one.wish for one in model.digests_asked] == [Wish.TITLE]
    assert CANARY not in str(model.digests_asked)
    assert [one.kind for one in frames(room.session.id)].count("session") == 1


def test_once_is_enough(room, model):
    asked(room)
    asked(room, "cats")
    assert len(model.digests_asked) == 1


def test_a_person_names_it_for_good(room, model):
    configure(person("alex"), room.session, title="Birds")
    asked(room)
    assert named(room) == ("Birds", By.PERSON)
    assert model.digests_asked == []


def test_a_person_who_is_faster_than_the_model_is_not_overruled(room, model):
    def meanwhile(_: Digest) -> Iterator[str]:
        configure(person("alex"), room.session, title="Birds")
        yield "too late"

    model._digest = meanwhile
    asked(room)
    assert named(room) == ("Birds", By.PERSON)


@pytest.mark.parametrize("deed", ["delete", "reclassify"])
def test_with_what_is_taken_back_goes_the_title_that_was_made_of_it(room, model, deed):
    asked(room, CANARY)
    assert CANARY in named(room)[0], "the control"
    message = room_message(room, CANARY)
    if deed == "delete":
        delete(person("alex"), message)
    else:
        reclassify(person("alex"), str(message), "participants", "not for agents")
    assert named(room) == (UNTITLED, By.NOBODY)
    asked(room, "parrots")
    title_now, by = named(room)
    assert by == By.AGENT
    assert CANARY not in title_now
    assert CANARY not in str(model.digests_asked[-1])


def test_what_is_taken_back_while_the_model_thinks_is_in_no_title(room, model):
    def meanwhile(_: Digest) -> Iterator[str]:
        delete(person("alex"), room_message(room, CANARY))
        yield f"About {CANARY}"

    model._digest = meanwhile
    asked(room, CANARY)
    assert named(room) == (UNTITLED, By.NOBODY)


def test_an_agent_that_makes_no_digests_leaves_it_unnamed(room):
    Seat.objects.update(provider="mirror")
    asked(room)
    assert named(room) == (UNTITLED, By.NOBODY)


def test_a_side_session_that_loses_its_first_message_loses_the_title_made_of_it(room):
    owner = Person.objects.get(handle__spelled="alex")
    join(room.session, add_agent("archivist", kind="hosted", provider="mirror", owner=owner), Role.AGENT)
    made = room.say("sam", f"{CANARY}\nand more", "agent:archivist", dispatch="child_session")
    child = Room(Session.objects.get(id=made.child))
    assert named(child) == (CANARY, By.FIRST)
    delete(person("sam"), room_message(child, f"{CANARY}\nand more"))
    assert named(child) == (UNTITLED, By.NOBODY)


def room_message(room: Room, text: str) -> UUID:
    from messaging.transcript.models import Message

    return Message.objects.get(session=room.session, text=text).id


@given(st.text(max_size=300))
def test_whatever_a_model_says_a_title_is_one_line_that_can_be_kept(text):
    made = title.of(text)
    assert len(made) <= LONGEST
    assert "\n" not in made
    assert "\x00" not in made
    assert made == made.strip()


@pytest.mark.parametrize(
    ("said", "made"),
    [('"Parrots"', "Parrots"), ("\n\n  # Parrots \nand cats", "Parrots"), ("***", ""), ("", ""), ("a\x00b", "")],
)
def test_quotation_marks_and_markup_are_no_part_of_it(said, made):
    assert title.of(said) == made
