"""`earshot move --to DATABASE_URL`: from SQLite to an empty PostgreSQL database, all of it or nothing."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable

from collab import addresses, environment
from collab.cli import move_rows, opened
from collab.cli.asking import say
from collab.cli.main import Refused
from collab.cli.move_rows import SOURCE, TARGET, Counted, Stage, Stand
from collab.cli.roles import django
from collab.environment import Environment

MOVED = """
{rows} rows in {tables} tables, each the same on both sides, in {seconds:.1f} s.
{file} stays as it was. From now on start with
  DATABASE_URL         the address given to --to
  AGENTS_DATABASE_URL  the same by the role {role}
  SECRET_KEY           what stands in {home}/secret_key, where several processes are started
Then `earshot check`.
"""
NOTHING = "; nothing was kept there"
KEPT = (
    " while it was to keep all rows, which are verified; whether it did shows once it answers: if it has no table, "
    "nothing was kept, so move again; otherwise all rows are there, so set DATABASE_URL and AGENTS_DATABASE_URL to the "
    "addresses of --to and --agents-to, and `earshot check --fix`"
)
UNFINISHED = (
    "all rows are moved and verified, but {why}; what remains is to look at the rights of the agents' role {role} "
    "there: with the variables as above, `earshot check --fix` does it, as often as it has to"
)


def run(chosen: argparse.Namespace) -> None:
    """Check both sides, copy, compare, commit, and only then look at what agents may do there."""
    began = time.monotonic()
    found = environment.read(os.environ)
    if found.database["ENGINE"] != addresses.SQLITE:
        raise Refused("DATABASE_URL names no SQLite file: move takes an installation from SQLite to PostgreSQL")
    opened.must_be_there(found)
    _settle(chosen)
    from django.conf import settings

    from collab.processes import prepare

    role = settings.DATABASES["agents"]["USER"]
    try:
        with prepare.sole_user(found.home, "move"):
            _sides(found)
            counted = _moved()
            say(_words(found, counted, role, time.monotonic() - began))
            _finish(role)
    except prepare.AlreadyRunning as refusal:
        raise Refused(f"{refusal}: stop it first") from None


def _sides(found: Environment) -> None:
    """Raises Refused where the file or the target is not as it has to be, or does not answer."""
    from collab.processes.patience import WITHIN, within

    with opened.answering(TARGET, ""):
        _source(found)
        try:
            within(WITHIN, _target)
        except TimeoutError as late:
            raise Refused(f"{TARGET} {late}") from None


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


def _moved() -> Counted:
    """All rows are there, and compared. Raises Refused, with what is kept there."""
    from django.db import Error

    from collab.processes import patience

    stand = Stand()
    try:
        patience.watched(lambda: move_rows.move(stand), _alive())
    except (Error, TimeoutError, KeyboardInterrupt) as error:
        stage = stand.give_up()
        if stage is Stage.COMMITTED:
            return stand.counted
        raise Refused(f"{_reason(error)}{KEPT if stage is Stage.COMMITTING else NOTHING}") from None
    return stand.counted


def _alive() -> Callable[[], bool]:
    """Whether the target still answers, asked beside the long work by a connection of its own."""
    from django.db import Error, connection

    from collab.processes.patience import WITHIN, Patient

    def ask() -> None:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")

    asking = Patient(ask, seconds=WITHIN)

    def alive() -> bool:
        try:
            asking.ask()
        except (Error, TimeoutError):
            return False
        return True

    return alive


def _reason(error: BaseException) -> str:
    if isinstance(error, KeyboardInterrupt):
        return "interrupted"
    if isinstance(error, TimeoutError):
        return f"{TARGET} {str(error) or 'does not answer any more'}"
    return f"{TARGET} does not answer ({type(error).__name__})"


def _finish(role: str) -> None:
    """The agents' role, in its new database, by trying. Raises Refused: the rows are there, whatever comes of it."""
    from django.db import Error

    from collab.cli.checks.agents_role import agents_role
    from collab.cli.checks.line import bad
    from collab.processes.patience import WITHIN, within

    try:
        lines = within(WITHIN, lambda: agents_role(fix=False))
    except (Error, TimeoutError, KeyboardInterrupt) as error:
        raise Refused(UNFINISHED.format(why=_reason(error), role=role)) from None
    for line in lines:
        say(str(line))
    if wrong := bad(lines):
        raise Refused(f"all is moved, but see above: {', '.join(wrong)}; `earshot check --fix` may mend it")


def _words(found: Environment, counted: Counted, role: str, seconds: float) -> str:
    return MOVED.format(
        rows=counted.rows,
        tables=counted.tables,
        seconds=seconds,
        file=found.database["NAME"],
        role=role,
        home=found.home,
    )
