"""The index of words holds what agents were shown alone, and agents put nothing into it but by being shown."""

from __future__ import annotations

import pytest
from django.db import connection

from messaging.mailbox import words
from messaging.mailbox.claim import claim
from tests.cast import Room

pytestmark = pytest.mark.django_db(transaction=True)
SQLITE = pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL's index is no table to be written to")


@pytest.fixture
def room():
    made = Room.open()
    made.say("alex", "canary for people")
    made.say("alex", "canary for sam", "participant:sam")
    made.say("alex", "control for mirror", "active_agent")
    assert claim(made.seat("mirror").id) is not None
    made.say("alex", "canary that waits", "active_agent")
    return made


def test_people_only_and_waiting_words_are_found_by_no_agent(room):
    for seat in (room.seat("mirror"), room.seat("scout")):
        assert words.find(seat, "canary", 10) == words.Found([], [])
    assert [row.text for row in words.find(room.seat("mirror"), "control", 10).heard] == ["control for mirror"]


@SQLITE
def test_nothing_else_is_in_it(room, as_agents):
    assert as_agents("SELECT text FROM mailbox_words") == [("control for mirror",)]


@SQLITE
@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO mailbox_words (row, seat, text) VALUES ('a', 'b', 'c')",
        "UPDATE mailbox_words SET text = 'c'",
        "DELETE FROM mailbox_words",
        "DROP TABLE mailbox_words",
        "INSERT INTO mailbox_words (mailbox_words) VALUES ('delete-all')",
        "CREATE VIRTUAL TABLE other USING fts5(text, content=transcript_message)",
    ],
)
def test_agents_do_not_write_to_it(room, as_agents, denied, sql):
    assert denied(as_agents, sql)
