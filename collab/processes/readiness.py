"""Whether this process can do its work: what /readyz tells."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.db import connection
from django.db.migrations.executor import MigrationExecutor

log = logging.getLogger(__name__)
_watched: dict[str, Callable[[], bool]] = {}
_migrated = False


def watch(name: str, well: Callable[[], bool]) -> None:
    """Have a part of this process asked with each report."""
    _watched[name] = well


def forget() -> None:
    """Ask no part any more; for processes that stop."""
    _watched.clear()


def report() -> dict[str, bool]:
    """Return what this process needs, and whether each is there."""
    return {"database": _database()} | {name: _well(part) for name, part in sorted(_watched.items())}


def _database() -> bool:
    global _migrated
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        # Once migrated stays migrated for this process's life; looking each time would be slow.
        _migrated = _migrated or not pending()
    except Exception:
        log.exception("The database does not answer")
        return False
    return _migrated


def pending() -> bool:
    """Whether a migration has still to be applied."""
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def _well(part: Callable[[], bool]) -> bool:
    try:
        return part()
    except Exception:
        log.exception("A part of the process could not be asked")
        return False
