"""PostgreSQL's half of the third ring: the agents' role may touch the mailbox alone.

Renewed after every migration, so that a new table or column starts closed. Where the migrating user may
not create roles, the SQL to run is printed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.utils import ProgrammingError
from psycopg import sql

from messaging.mailbox.permits import PERMITS, Permit


def after_migrate(using: str = DEFAULT_DB_ALIAS, **_: object) -> None:
    """Signal handler of post_migrate: makes the role where it can, and renews its grants."""
    role = settings.DATABASES.get("agents", {}).get("USER", "")
    if using != DEFAULT_DB_ALIAS or connections[using].vendor != "postgresql" or not role:
        return
    if role != settings.DATABASES[using].get("USER"):
        grant(role, settings.DATABASES["agents"].get("PASSWORD", ""))


def grant(role: str, password: str) -> None:
    """Makes the role if it is missing and gives it what `PERMITS` say, after taking all else away."""
    try:
        # At once: agents that run meanwhile must not find themselves without any grant.
        with transaction.atomic(using=DEFAULT_DB_ALIAS), connections[DEFAULT_DB_ALIAS].cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role])
            if cursor.fetchone() is None:
                cursor.execute(_create(role, password).as_string(cursor.connection))
            for line in lines(role):
                cursor.execute(line.as_string(cursor.connection))
    except ProgrammingError as refused:
        _explain(role, refused)


def _create(role: str, password: str) -> sql.Composed:
    return sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(role), sql.Literal(password or None))


def lines(role: str) -> Iterator[sql.Composed]:
    """The statements, in order."""
    name = sql.Identifier(role)
    yield sql.SQL("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {}").format(name)
    yield sql.SQL("GRANT USAGE ON SCHEMA public TO {}").format(name)
    for permit in PERMITS:
        yield from _of(permit, name)


def _of(permit: Permit, role: sql.Identifier) -> Iterator[sql.Composed]:
    table = sql.Identifier(permit.table)
    yield sql.SQL("GRANT SELECT ON {} TO {}").format(table, role)
    if permit.insert:
        yield sql.SQL("GRANT INSERT ON {} TO {}").format(table, role)
    if permit.update:
        columns = sql.SQL(", ").join(map(sql.Identifier, permit.update))
        yield sql.SQL("GRANT UPDATE ({}) ON {} TO {}").format(columns, table, role)


def _explain(role: str, refused: ProgrammingError) -> None:
    sys.stderr.write(f"The agents' role could not be provided ({refused}). Run as a database superuser:" + "\n")
    sys.stderr.write(f'  CREATE ROLE "{role}" LOGIN PASSWORD ...;' + "\n")
    for line in lines(role):
        sys.stderr.write(f"  {line.as_string(None)};" + "\n")
