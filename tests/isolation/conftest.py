"""The agents' own connection to the tests' database, whatever its kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from django.db.utils import DatabaseError

from messaging.mailbox.walled.base import DatabaseWrapper

Ask = Callable[..., list[tuple[Any, ...]]]


@pytest.fixture
def as_agents(transactional_db) -> Any:
    """Runs raw SQL as the agents' process would: by its role on PostgreSQL, behind the authorizer on SQLite."""
    if connection.vendor == "postgresql":
        yield from _by_role()
    else:
        yield from _by_wall()


def _by_wall() -> Any:
    walled = DatabaseWrapper(connection.settings_dict | {"ENGINE": "messaging.mailbox.walled"}, "walled")
    yield _asking(walled.cursor)
    walled.close()


def _by_role() -> Any:
    where = connection.settings_dict
    who = settings.DATABASES["agents"]
    with psycopg.connect(
        dbname=where["NAME"], host=where["HOST"], port=where["PORT"], user=who["USER"],
        password=who["PASSWORD"] or None, autocommit=True,
    ) as raw:  # fmt: skip
        yield _asking(raw.cursor)


def _asking(cursor: Any) -> Ask:
    def ask(sql: str, *values: Any) -> list[tuple[Any, ...]]:
        with cursor() as open_cursor:
            open_cursor.execute(sql, values or None)
            return list(open_cursor.fetchall()) if open_cursor.description else []

    return ask


@pytest.fixture
def denied() -> Callable[..., bool]:
    """Whether the database refuses, and says that it is a matter of rights."""

    def run(ask: Ask, sql: str) -> bool:
        try:
            ask(sql)
        except (DatabaseError, psycopg.Error) as error:
            words = str(error).lower()
            assert any(
                word in words
                for word in ("permission denied", "not authorized", "authorization denied", "prohibited", "must be")
            ), error
            return True
        return False

    return run
