"""The tests' own database: who asks for it, and how it is emptied after those that commit.

Django empties every table and then has all of `post_migrate` done again: triggers, grants, permissions. Where a test has
left the schema as it was, taking the rows away and making the one session that exists from the start comes to the same.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from django.db import connection, transaction
from django.test import SimpleTestCase, TransactionTestCase

from messaging.actions import open_session
from messaging.mailbox.permits import WORDS
from messaging.transcript import triggers

#: What Django keeps of the code's own: nobody here changes it.
OF_THE_CODE = {"django_content_type", "auth_permission"}
#: What `open_session.after_migrate` fills.
FROM_THE_START = {"roster_session", "journal_clock"}
#: No statement of these is done for the rows: only their own names and what they hold count.
SCHEMA = {
    "sqlite": "SELECT name, sql FROM sqlite_master ORDER BY name",
    "postgresql": """
        SELECT 'trigger', tgrelid::int8, tgname, concat(tgenabled, tgtype, ' ', tgfoid) FROM pg_trigger
        WHERE NOT tgisinternal
        UNION ALL SELECT 'function', oid::int8, proname, concat(prosrc, proacl, proconfig) FROM pg_proc
        WHERE pronamespace = 'public'::regnamespace
        UNION ALL SELECT 'relation', oid::int8, relname, concat(relkind, relacl) FROM pg_class
        WHERE relnamespace = 'public'::regnamespace
        UNION ALL SELECT 'column', attrelid::int8, attname, concat(attacl) FROM pg_attribute
        WHERE attacl IS NOT NULL AND attrelid > 16383
        UNION ALL SELECT 'schema', oid::int8, nspname, concat(nspacl) FROM pg_namespace WHERE nspname = 'public'
        ORDER BY 1, 2, 3""",
}
_flush: Callable[[TransactionTestCase], None] = TransactionTestCase._fixture_teardown  # type: ignore[attr-defined]


def asks(item: pytest.Item) -> bool:
    """Whether the test may come to the database: by its mark, a fixture or its class.

    Whoever has a condition is taken to ask: it may be about the kind of database.
    """
    of_django = issubclass(getattr(item, "cls", None) or object, SimpleTestCase)
    marked = any(item.get_closest_marker(name) for name in ("django_db", "skipif", "xfail"))
    return of_django or marked or "django_db_setup" in getattr(item, "fixturenames", ())


@dataclass
class Database:
    """As the migrations have left it."""

    schema: str = ""
    tables: list[str] = field(default_factory=list)

    def remember(self) -> None:
        """This is how a test finds it."""
        self.schema = _schema()
        found = set(connection.introspection.django_table_names(only_existing=True, include_views=False))
        # Triggers move the epochs that these hold, of rows that go before them; and make the last anew.
        first, last = ["journal_clock"], ["roster_installation"]
        self.tables = [*first, *sorted(found - OF_THE_CODE - {*first, *last}), *last]
        filled = {table for table in self.tables if _holds(table)}
        assert filled == FROM_THE_START, f"{filled ^ FROM_THE_START}: `empty` has to make these rows"

    def empty(self, case: TransactionTestCase) -> None:
        """Take away what a test has committed: of the audit log, too, which refuses that of everybody else."""
        changed = _schema() != self.schema
        with transaction.atomic(), connection.cursor() as cursor:
            for line in triggers.removal(connection.vendor):
                cursor.execute(line)
            if connection.vendor == "sqlite":
                # No model's table, so nobody else empties it.
                cursor.execute(f"DELETE FROM {WORDS}")
            if not changed:
                self._rows(cursor.execute)
                triggers.after_migrate()
                open_session.after_migrate()
        if changed:
            _flush(case)
            self.remember()

    def _rows(self, run: Callable[[str], object]) -> None:
        if connection.vendor == "sqlite":
            for table in self.tables:
                run(f"DELETE FROM {table}")
            return
        # Whoever is still writing is waited for, as TRUNCATE does; but that writes a new file for each table and index.
        lines = [f"LOCK TABLE {', '.join(self.tables)}", *(f"DELETE FROM {table}" for table in self.tables)]
        run("; ".join(lines))


def _schema() -> str:
    with connection.cursor() as cursor:
        cursor.execute(SCHEMA[connection.vendor])
        return hashlib.sha256(repr(cursor.fetchall()).encode()).hexdigest()


def _holds(table: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT 1 FROM {table} LIMIT 1")
        return cursor.fetchone() is not None


def hang_up() -> None:
    """End what threads have left connected: the database could not be taken away before they are gone."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
                "AND usename = current_user AND pid <> pg_backend_pid()"
            )
