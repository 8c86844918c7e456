"""Whether this process can do its work: what /readyz tells."""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial

from django.db import connection

from collab.processes.patience import Patient
from collab.processes.presence import Household
from collab.processes.schema import pending

log = logging.getLogger(__name__)
#: What a message needs of other processes, wherever they run.
NEEDED = ("agents", "beat", "worker")
Well = Callable[[], bool | None]
_watched: dict[str, Well] = {}
_migrated = False


def watch(name: str, well: Well) -> None:
    """Have a part asked with each report. It answers None where nobody can tell."""
    _watched[name] = well


def forget() -> None:
    """Ask no part any more; for processes that stop."""
    _watched.clear()


def watch_fleet(household: Household, heard: Callable[[], bool]) -> None:
    """Have Redis asked, and for the other roles of the fleet; `heard` tells whether pokes come in here."""
    _watched["redis"] = lambda: household.reachable() and heard()
    for role in NEEDED:
        _watched[role] = partial(household.has, role)


def report() -> dict[str, bool | None]:
    """Return what this installation needs, and whether each is there; None where that cannot be told now.

    Answers within some seconds whatever hangs, and is true of what was so ten seconds ago or later.
    """
    return {"database": _database()} | {name: _well(part) for name, part in sorted(_watched.items())}


def _answers() -> bool:
    """Whether the database answers and has the tables of this version."""
    global _migrated
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    # Once migrated stays migrated for this process's life; looking each time would be slow.
    _migrated = _migrated or not pending()
    return _migrated


_asking = Patient(_answers)


def _database() -> bool:
    try:
        return _asking.ask()
    except Exception as error:  # noqa: BLE001 -- whatever it was, the database does not answer
        log.warning("The database does not answer (%s)", type(error).__name__)
        return False


def _well(part: Well) -> bool | None:
    try:
        return part()
    except Exception:
        log.exception("A part of the process could not be asked")
        return False
