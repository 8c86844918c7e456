"""Triggers in the two dialects, installed anew after every migration."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from django.db import DEFAULT_DB_ALIAS, connections

#: Or a temporary table of the agents' role would stand before the real one.
PATH = "SET search_path = public, pg_catalog, pg_temp"


def sqlite(name: str, on: str, body: str, when: str = "") -> list[str]:
    """A trigger for each row. `on`: as in "AFTER INSERT ON a_table"; `body`: statements; `when`: a condition."""
    only = f" WHEN {when}" if when else ""
    return [f"DROP TRIGGER IF EXISTS {name}", f"CREATE TRIGGER {name} {on} FOR EACH ROW{only} BEGIN {body}; END"]


def postgresql(name: str, on: str, body: str, each: str = "ROW") -> list[str]:
    """The same, by a function of that name; `body` ends in what it returns. `each`: or for a STATEMENT."""
    return [
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql {PATH} AS $$ BEGIN {body}; END $$",
        # In the old one's place at once: what happens meanwhile must not meet a moment without it.
        f"CREATE OR REPLACE TRIGGER {name} {on} FOR EACH {each} EXECUTE FUNCTION {name}()",
    ]


def install(using: str, statements: Callable[[str, Collection[str]], Iterable[str]]) -> None:
    """Runs the statements for the house's own database; for any other it does nothing.

    `statements` is given the database's vendor (`sqlite` or `postgresql`) and its tables. Run after each migration,
    since SQLite's remade tables lose their triggers.
    """
    if using != DEFAULT_DB_ALIAS:
        return
    connection = connections[using]
    with connection.cursor() as cursor:
        for line in statements(connection.vendor, connection.introspection.table_names(cursor)):
            cursor.execute(line)
