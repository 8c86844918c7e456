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


def installation() -> Environment:
    """Set Django up for an installation that is there and migrated. Raises Refused or UnsafeSetting."""
    found = environment.read(os.environ)
    must_be_there(found)
    django()
    with answering():
        must_be_migrated()
    return found


def must_be_there(found: Environment) -> None:
    """Raises Refused: loading the settings would make a folder and a file wherever a mistaken variable points."""
    file = found.database["NAME"]
    if found.database["ENGINE"] == addresses.SQLITE and not Path(file).is_file():
        raise Refused(f"{file} is not there: see EARSHOT_HOME and DATABASE_URL; `earshot init` makes a new one")


def must_be_migrated(what: str = "the database", using: str = "default") -> None:
    """Raises Refused for tables that are not this version's, or are not there."""
    from collab.processes import schema

    if schema.pending(using):
        raise Refused(f"{what} {schema.NOT_MIGRATED}")


@contextmanager
def answering(what: str = "the database", see: str = ": see DATABASE_URL") -> Iterator[None]:
    """Turn a database that does not answer into a refusal; its own words may hold an address."""
    from django.db import InterfaceError, OperationalError

    try:
        yield
    except (OperationalError, InterfaceError) as error:
        raise Refused(f"{what} does not answer ({type(error).__name__}){see}") from None
