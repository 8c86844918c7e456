"""`earshot move --to DATABASE_URL`: from SQLite to an empty PostgreSQL database, all of it or nothing."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from collab import addresses, environment
from collab.cli import opened
from collab.cli.asking import say
from collab.cli.main import Refused
from collab.cli.roles import django
from collab.environment import Environment

if TYPE_CHECKING:
    from collab.cli import rows

SOURCE = "source"
DONE = """
{rows} rows in {tables} tables, each the same on both sides, in {seconds:.1f} s.
{file} stays as it was. From now on start with
  DATABASE_URL         the address given to --to
  AGENTS_DATABASE_URL  the same by the role {role}
  SECRET_KEY           what stands in {home}/secret_key, where several processes are started
Then `earshot check`."""


def run(chosen: argparse.Namespace) -> None:
    """Check both sides, copy, compare, and only then commit."""
    began = time.monotonic()
    found = environment.read(os.environ)
    if found.database["ENGINE"] != addresses.SQLITE:
        raise Refused("DATABASE_URL names no SQLite file: move takes an installation from SQLite to PostgreSQL")
    opened.must_be_there(found)
    _settle(chosen)
    from collab.processes import prepare

    try:
        with prepare.sole_user(found.home, "move"), opened.answering("the database of --to", ""):
            _source(found)
            _target()
            counted = _move()
            wrong = _wall()
    except prepare.AlreadyRunning as refusal:
        raise Refused(f"{refusal}: stop it first") from None
    say(_words(found, counted, time.monotonic() - began))
    if wrong:
        raise Refused(f"all is moved, but see above: {', '.join(wrong)}; `earshot check --fix` may mend it")


def _settle(chosen: argparse.Namespace) -> None:
    """From here on the target is this process's own database, so that migrations and grants are its own, too."""
    os.environ["DATABASE_URL"] = chosen.to
    if chosen.agents_to:
        os.environ["AGENTS_DATABASE_URL"] = chosen.agents_to
    try:
        target = environment.read(os.environ)
    except environment.UnsafeSetting as unsafe:
        option = {"DATABASE_URL": "--to", "AGENTS_DATABASE_URL": "--agents-to"}.get(unsafe.name, unsafe.name)
        raise Refused(f"{option} {unsafe.why}") from None
    if target.database["ENGINE"] != addresses.POSTGRESQL:
        raise Refused("--to names no PostgreSQL database: postgresql://user:password@host/name")
    django()


def _source(found: Environment) -> None:
    """Open the file beside the target. Raises Refused where it is not of this version."""
    from django.db import connections

    known = connections.configure_settings({"default": {}, SOURCE: dict(found.database)})
    connections.settings[SOURCE] = known[SOURCE]
    opened.must_be_migrated(str(found.database["NAME"]), SOURCE)


def _target() -> None:
    """Raises Refused for a database that is not empty, or in which the agents' role could not be provided."""
    from django.conf import settings
    from django.db import connection

    names = connection.introspection.table_names()
    if names:
        raise Refused(f"the database of --to is not empty: it has {len(names)} tables, {min(names)} among them")
    role = settings.DATABASES["agents"]["USER"]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = %s) OR rolcreaterole OR rolsuper "
            "FROM pg_roles WHERE rolname = current_user",
            [role],
        )
        if not cursor.fetchone()[0]:
            raise Refused(f"the role {role} is not there, and --to's may not make it: CREATE ROLE {role} LOGIN ...")


@dataclass(frozen=True, slots=True)
class Counted:
    """What was moved."""

    tables: int
    rows: int


def _move() -> Counted:
    """All in one transaction of the target: whatever fails leaves it as empty as it was."""
    import psycopg
    from django.core.management import call_command
    from django.db import DatabaseError, transaction

    from collab.cli import rows

    # The source's transaction keeps every other writer out until the end.
    with transaction.atomic(using=SOURCE), transaction.atomic():
        say("making the tables")
        call_command("migrate", interactive=False, verbosity=0)
        models = rows.tables()
        _empty([rows.table_of(model) for model in models])
        try:
            with _untriggered():
                counted = sum(rows.copy(model, SOURCE, _tell("copied")) for model in models)
            same = sum(rows.compare(model, SOURCE, _tell("the same")) for model in models)
        except rows.Unequal as unequal:
            raise Refused(f"{unequal}; nothing was kept there") from None
        except (DatabaseError, psycopg.Error) as error:
            raise Refused(f"a row was refused ({_reason(error)}); nothing was kept there") from None
        if counted != same:
            raise Refused(f"{counted} rows were copied and {same} found; nothing was kept there")
        rows.reset_sequences()
    return Counted(len(models), same)


def _empty(tables: list[str]) -> None:
    """What a migration puts into its tables comes from the source as well."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("TRUNCATE " + ", ".join(tables))
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")


@contextmanager
def _untriggered() -> Iterator[None]:
    """Histories are copied table by table, so the triggers that hold them together look away meanwhile."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger WHERE NOT tgisinternal")
        tables = [table for (table,) in cursor.fetchall()]
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        yield
        # Foreign keys are looked at here, at the latest.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for table in tables:
            cursor.execute(f"ALTER TABLE {table} ENABLE TRIGGER USER")


def _tell(done: str) -> rows.Progress:
    """A line for each table that has rows; at a terminal it counts up while it lasts."""
    moving = sys.stdout.isatty()

    def tell(table: str, n: int, whole: int) -> None:
        line = f"  {table:<36} {n:>8} of {whole} {done}"
        if n == whole:
            say(f"\r{line}" if moving else line)
        elif moving:
            sys.stdout.write(f"\r{line}")
            sys.stdout.flush()

    return tell


def _reason(error: Exception) -> str:
    """The database's own summary, which quotes no row."""
    report = getattr(error, "diag", None) or getattr(error.__cause__, "diag", None)
    told = [getattr(report, part, None) for part in ("message_primary", "table_name", "column_name")]
    return ", ".join(part for part in told if part) or type(error).__name__


def _wall() -> list[str]:
    """The agents' role, in its new database, by trying; answer what failed."""
    from collab.cli.checks.agents_role import agents_role
    from collab.cli.checks.line import bad

    lines = agents_role(fix=False)
    for line in lines:
        say(str(line))
    return bad(lines)


def _words(found: Environment, counted: Counted, seconds: float) -> str:
    from django.conf import settings

    return DONE.format(
        rows=counted.rows,
        tables=counted.tables,
        seconds=seconds,
        file=found.database["NAME"],
        role=settings.DATABASES["agents"]["USER"],
        home=found.home,
    )
