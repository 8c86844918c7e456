"""All rows in one transaction of the target, and how far that has come for whoever has to give it up."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from collab.cli.asking import say
from collab.cli.main import Refused

if TYPE_CHECKING:
    from collab.cli import rows

SOURCE = "source"
TARGET = "the database of --to"


@dataclass(frozen=True, slots=True)
class Counted:
    """What was moved."""

    tables: int
    rows: int


class Stage(Enum):
    """What would become of the target if everything stopped now."""

    OPEN = "nothing is kept"
    COMMITTING = "nobody knows"
    COMMITTED = "all is kept"
    GIVEN_UP = "nothing is kept, whatever comes"


class Stand:
    """How far a move has come. The thread that moves and the one that waits for it agree here on what is kept."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._stage = Stage.OPEN
        self.counted = Counted(0, 0)

    def committing(self, counted: Counted) -> None:
        """Note that the commit begins. Raises Refused where somebody has already said that nothing is kept."""
        with self._lock:
            if self._stage is Stage.GIVEN_UP:
                raise Refused("given up; nothing was kept there")
            self._stage, self.counted = Stage.COMMITTING, counted

    def committed(self) -> None:
        """Note that the target has kept all."""
        with self._lock:
            self._stage = Stage.COMMITTED

    def give_up(self) -> Stage:
        """Have nothing committed that is not being committed yet; answer how far it had come."""
        with self._lock:
            stage = self._stage
            if stage is Stage.OPEN:
                self._stage = Stage.GIVEN_UP
            return stage


def move(stand: Stand) -> None:
    """Make the tables, copy, compare, commit: whatever fails before leaves the target as empty as it was."""
    import psycopg
    from django.core.management import call_command
    from django.db import DatabaseError, transaction

    from collab.cli import rows

    # The source's transaction keeps every other writer out until the end.
    with transaction.atomic(using=SOURCE), transaction.atomic():
        say("making the tables")
        call_command("migrate", interactive=False, verbosity=0)
        models = rows.tables()
        try:
            with _untriggered():
                _empty([rows.table_of(model) for model in models])
                counted = sum(rows.copy(model, SOURCE, _tell("copied")) for model in models)
            same = sum(rows.compare(model, SOURCE, _tell("the same")) for model in models)
        except rows.Unequal as unequal:
            raise Refused(f"{unequal}; nothing was kept there") from None
        except (DatabaseError, psycopg.Error) as error:
            raise Refused(f"{_reason(error)}; nothing was kept there") from None
        if counted != same:
            raise Refused(f"{counted} rows were copied and {same} found; nothing was kept there")
        rows.reset_sequences()
        transaction.on_commit(stand.committed)
        stand.committing(Counted(len(models), same))


def _empty(tables: list[str]) -> None:
    """What a migration puts into its tables comes from the source as well."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE " + ", ".join(tables))


@contextmanager
def _untriggered() -> Iterator[None]:
    """Histories are copied table by table, and a log that only grows begins empty: the triggers look away meanwhile."""
    from django.db import connection

    with connection.cursor() as cursor:
        # Nothing may be left to look at in a table whose triggers are turned off.
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
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
    """What happened: the database's own summary, which quotes no row."""
    report = getattr(error, "diag", None) or getattr(error.__cause__, "diag", None)
    told = [part for name in ("message_primary", "table_name", "column_name") if (part := getattr(report, name, None))]
    if not told and type(error).__name__ in ("OperationalError", "InterfaceError"):
        return f"{TARGET} was lost ({type(error).__name__})"
    return f"a row was refused ({', '.join(told) or type(error).__name__})"
