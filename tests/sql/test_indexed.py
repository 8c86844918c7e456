"""No way of the main job reads a whole table: what it costs must not grow with what was said before."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from messaging.actions.collect import collect
from messaging.actions.take import take
from messaging.mailbox import say
from messaging.mailbox.claim import claim
from messaging.roster import access
from messaging.transcript import changes, read
from messaging.transcript.history import history
from tests.cast import Room, agent, person

pytestmark = pytest.mark.django_db
#: A handful of rows whatever was said: who is here, and what runs.
SMALL = re.compile(r"roster_|django_|mailbox_seat|journal_clock")


@pytest.fixture
def room() -> Room:
    room = Room.open()
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # A few rows are read faster whole; the question is whether there is another way.
            cursor.execute("SET LOCAL enable_seqscan = off")
    return room


def post_to_people(room: Room) -> None:
    room.say("alex", "people", "participants", client_key=uuid4().hex)


def ask_and_answer(room: Room) -> None:
    room.say("alex", "question", "active_agent", client_key=uuid4().hex)
    held = claim(room.seat("mirror").id)
    assert held is not None
    say.answer(held, "answer")
    collect(room.session.id)


def mail(room: Room) -> None:
    room.say("alex", "mail", "agent:scout", dispatch="future_turn", client_key=uuid4().hex)
    take(agent("scout"), room.session, 10)


def reading(room: Room) -> None:
    viewer, session = person("sam"), access.session(person("sam"), room.session.id)
    page = read.page(viewer, session, limit=50)
    read.page(viewer, session, before=page.items[-1].seq, limit=50)
    history(viewer, page.items[0].id)
    changes.to(viewer, session, 3)


@pytest.mark.parametrize("deed", [post_to_people, ask_and_answer, mail, reading])
def test_no_statement_reads_a_whole_table(room: Room, deed: Callable[[Room], None]):
    for prepare in (post_to_people, ask_and_answer, mail):
        prepare(room)
    with CaptureQueriesContext(connection) as asked:
        deed(room)
    # Several may have travelled in one message.
    statements = [part for one in asked.captured_queries for part in one["sql"].split("; ")]
    questions = [statement for statement in statements if statement.startswith("SELECT")]
    assert questions
    assert [(table, sql) for sql in questions for table in whole_tables(sql)] == []


def test_a_question_without_an_index_is_seen(room: Room):
    post_to_people(room)
    assert list(whole_tables("SELECT id FROM transcript_message WHERE on_behalf_of = 'sam'")) == ["transcript_message"]
    assert list(whole_tables(f"SELECT id FROM transcript_message WHERE id = '{uuid4().hex}'")) == []


def whole_tables(sql: str) -> Iterator[str]:
    """The tables that the database would read from end to end for this question."""
    explain = "EXPLAIN QUERY PLAN " if connection.vendor == "sqlite" else "EXPLAIN "
    with connection.cursor() as cursor:
        cursor.execute(explain + sql.replace("%", "%%"))
        lines = [str(row[-1]) for row in cursor.fetchall()]
    for line in lines:
        found = re.search(r"SCAN (\w+)$|Seq Scan on (\w+)", line)
        table = next((name for name in found.groups() if name), "") if found else ""
        if "_" in table and not SMALL.match(table):
            yield table
