"""The installation that an operator's command works on: there, set up, and brought to this version."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from collab import addresses, environment
from collab.cli.main import Refused
from collab.cli.roles import django
from collab.environment import Environment

NOT_MIGRATED = "the database is not migrated to this version; `earshot up` does it, in a fleet `earshot manage migrate`"


def installation() -> Environment:
    """Set Django up for an installation that is there and migrated. Raises Refused or UnsafeSetting."""
    found = environment.read(os.environ)
    must_be_there(found)
    django()
    from collab.processes import readiness

    with answering():
        if readiness.pending():
            raise Refused(NOT_MIGRATED)
    return found


def must_be_there(found: Environment) -> None:
    """Loading the settings would make a folder and a file wherever a mistaken variable points. Raises Refused."""
    file = found.database["NAME"]
    if found.database["ENGINE"] == addresses.SQLITE and not Path(file).is_file():
        raise Refused(f"{file} is not there: EARSHOT_HOME and DATABASE_URL have to be as at the start")


@contextmanager
def answering(what: str = "the database", see: str = ": see DATABASE_URL") -> Iterator[None]:
    """Turn a database that does not answer into a refusal; its own words may hold an address."""
    from django.db import InterfaceError, OperationalError

    try:
        yield
    except (OperationalError, InterfaceError) as error:
        raise Refused(f"{what} does not answer ({type(error).__name__}){see}") from None
