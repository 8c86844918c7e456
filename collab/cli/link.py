"""`earshot link HANDLE`: lets a person in, by a link that signs in once."""

from __future__ import annotations

import os
from pathlib import Path

from collab import addresses, environment
from collab.cli.main import Refused
from collab.cli.roles import django
from collab.environment import Environment


def run(handle: str) -> None:
    """Print a fresh link for that person; refuse where nobody could sign in by it."""
    found = environment.read(os.environ)
    _must_be_there(found)
    django()
    from django.db import DatabaseError

    try:
        code = _code(handle)
    except DatabaseError as error:
        raise Refused(f"the database does not answer ({type(error).__name__})") from None
    print(f"{found.address}/sign-in/{code}")  # noqa: T201 -- a command speaks on its output


def _must_be_there(found: Environment) -> None:
    """Loading the settings would make a folder and a file wherever a mistaken variable points."""
    file = found.database["NAME"]
    if found.database["ENGINE"] == addresses.SQLITE and not Path(file).is_file():
        raise Refused(f"{file} is not there: EARSHOT_HOME and DATABASE_URL have to be as at the start")


def _code(handle: str) -> str:
    from collab.processes import readiness
    from messaging.actions import sign_in
    from messaging.domain.handle import is_handle
    from messaging.roster.models import Person

    if readiness.pending():
        raise Refused("the database is not migrated to this version; `earshot up` does it, in a fleet `migrate`")
    rows = Person.objects.filter(handle__spelled=handle).select_related("account")
    # What no database could even look for is nobody's handle, too.
    person = rows.first() if is_handle(handle) else None
    if person is None:
        raise Refused(f"{handle!r} is no person here; add_person adds people")
    if person.account is None or not person.account.is_active:
        raise Refused(f"{handle} has no account that may sign in")
    return sign_in.new_link(handle)
