"""Two rows are the same if each column is, whatever database they came from."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest
from django.apps import apps
from django.db import connection

from collab.cli.rows import digest, tables
from messaging.mailbox.permits import WORDS, WORDS_WITHIN

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
ROW = (UUID(int=1), 1, "text", NOON, {"b": [1], "a": None}, None, True)


def test_what_is_the_same_has_one_digest():
    east = timezone(timedelta(hours=2))
    same = (UUID(int=1), 1, "text", NOON.astimezone(east), {"a": None, "b": [1]}, None, True)
    assert digest(ROW) == digest(same)
    assert digest((b"x",)) == digest((memoryview(b"x"),))


@pytest.mark.parametrize(
    ("column", "other"),
    [
        (0, UUID(int=2)),
        (1, "1"),
        (2, "text "),
        (3, NOON + timedelta(microseconds=1)),
        (4, {"b": [1]}),
        (5, "None"),
        (6, 1),
    ],
)
def test_a_column_that_differs_shows(column: int, other: object):
    assert digest(ROW) != digest((*ROW[:column], other, *ROW[column + 1 :]))


def test_columns_do_not_run_into_each_other():
    assert digest(("ab", "c")) != digest(("a", "bc"))


@pytest.mark.django_db
def test_every_table_is_moved_but_django_s_own_list_of_migrations_and_the_index_that_is_made_of_the_rows():
    moved = {model._meta.db_table for model in tables()}
    assert moved == set(connection.introspection.table_names()) - {"django_migrations", WORDS, *WORDS_WITHIN}
    assert len(moved) > len([model for model in apps.get_models() if model.__module__.startswith("messaging.")])
