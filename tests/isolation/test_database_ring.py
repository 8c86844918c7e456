"""The third ring: the agents' connection itself refuses everything but the mailbox, even to raw SQL.

Each refusal stands beside a control that shows that the same connection can see what it may.
"""

from __future__ import annotations

import pytest
from django.apps import apps
from django.db import connection

from messaging.mailbox.permits import PERMITS
from tests.cast import Room

pytestmark = pytest.mark.django_db(transaction=True)
PERMITTED = {permit.table for permit in PERMITS}
EVERY = sorted({model._meta.db_table for model in apps.get_models(include_auto_created=True)} | {"django_migrations"})


@pytest.fixture
def room():
    made = Room.open()
    made.say("alex", "only for people")
    made.say("alex", "only for sam", "participant:sam")
    made.say("alex", "for mirror", "active_agent")
    return made


def test_the_control_the_house_sees_all_and_the_agents_see_the_mailbox(room, as_agents):
    with connection.cursor() as cursor:
        cursor.execute("SELECT text FROM transcript_message ORDER BY seq")
        assert [row[0] for row in cursor.fetchall()] == ["only for people", "only for sam", "for mirror"]
    assert as_agents("SELECT text FROM mailbox_delivery") == [("for mirror",)]


@pytest.mark.parametrize("table", EVERY)
def test_every_table_is_shut_but_those_permitted(room, as_agents, denied, table):
    assert denied(as_agents, f"SELECT count(*) FROM {table}") is (table not in PERMITTED)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT text FROM transcript_message",
        "SELECT 1 FROM mailbox_delivery d, transcript_message m WHERE m.id = d.message",
        "SELECT (SELECT max(text) FROM transcript_message) FROM mailbox_seat",
        "WITH all_of AS (SELECT text FROM transcript_message) SELECT * FROM all_of",
        "SELECT text FROM mailbox_delivery UNION SELECT text FROM transcript_message",
        "UPDATE mailbox_delivery SET reason = (SELECT max(text) FROM transcript_message)",
        "INSERT INTO transcript_message (text) VALUES ('forged')",
        "DELETE FROM transcript_message",
        "SELECT hash FROM roster_token",
        "SELECT seq FROM journal_clock",
        "SELECT session_data FROM django_session",
        "CREATE VIEW peek AS SELECT * FROM transcript_message",
        "DROP TABLE transcript_message",
    ],
)
def test_there_is_no_way_round_by_a_cleverer_statement(room, as_agents, denied, sql):
    assert denied(as_agents, sql)


@pytest.mark.parametrize(
    ("change", "allowed"),
    [
        ("reason = 'x'", True),
        ("turn = NULL", True),
        ("text = 'other'", False),
        ("author = 'sam'", False),
        ("cleared_at = changed_at", False),
        ("withheld_at = NULL", False),
        ("purpose = 'mail'", False),
        ("audience = 'everyone'", False),
    ],
)
def test_agents_change_states_never_text_clearance_or_the_houses_marks(room, as_agents, denied, change, allowed):
    assert denied(as_agents, f"UPDATE mailbox_delivery SET {change}") is not allowed


@pytest.mark.parametrize(
    ("table", "change"),
    [("mailbox_transition", "journaled = true"), ("mailbox_turnstep", "journaled = true"), ("mailbox_utterance", "message = NULL"),
     ("mailbox_seat", "open = true"), ("mailbox_seat", "provider = 'x'"), ("mailbox_seat", "placed = 0")],
)  # fmt: skip
def test_the_houses_marks_and_the_seat_are_out_of_reach(room, as_agents, denied, table, change):
    assert denied(as_agents, f"UPDATE {table} SET {change}")


def test_the_seats_own_counter_is_within_reach(room, as_agents, denied):
    assert not denied(as_agents, "UPDATE mailbox_seat SET shown = shown")


@pytest.mark.parametrize("table", sorted(PERMITTED))
def test_nothing_of_the_mailbox_can_be_taken_away(room, as_agents, denied, table):
    assert denied(as_agents, f"DELETE FROM {table}")


@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL has no ATTACH and no PRAGMA")
@pytest.mark.parametrize(
    "sql",
    ["ATTACH DATABASE ':memory:' AS other", "PRAGMA journal_mode = DELETE", "PRAGMA writable_schema = 1", "SELECT load_extension('x')",
     "CREATE TEMP TABLE t AS SELECT 1", "CREATE TRIGGER t AFTER UPDATE ON mailbox_seat BEGIN SELECT 1; END", "VACUUM INTO '/tmp/copy'",
     "SELECT sql FROM sqlite_master", "PRAGMA table_info(transcript_message)", "DETACH DATABASE main"],
)  # fmt: skip
def test_sqlites_side_doors_are_shut(room, as_agents, denied, sql):
    assert denied(as_agents, sql)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no roles, files or functions of a server")
@pytest.mark.parametrize(
    "sql",
    ["SELECT pg_read_file('/etc/passwd')", "COPY mailbox_seat TO '/tmp/copy'", "SET ROLE postgres", "CREATE TABLE mine (a int)",
     "SELECT passwd FROM pg_shadow", "SELECT rolpassword FROM pg_authid", "TRUNCATE mailbox_delivery CASCADE"],
)  # fmt: skip
def test_postgresqls_side_doors_are_shut(room, as_agents, denied, sql):
    assert denied(as_agents, sql)


@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite cannot tell who inserts")
def test_a_forged_mark_is_refused_on_insert(room, as_agents):
    step = (
        "INSERT INTO mailbox_transition (id, delivery_id, step, before, after, reason, by, at, journaled, retryable) "
    )
    step += (
        "SELECT gen_random_uuid(), id, 3, 'queued', 'rejected', '', 'agents', now(), {}, false FROM mailbox_delivery"
    )
    with pytest.raises(Exception, match="the mark is the house's"):
        as_agents(step.format("true"))
    as_agents(step.format("false"))
