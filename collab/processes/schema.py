"""Whether a database has the tables of this version."""

from __future__ import annotations

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.executor import MigrationExecutor

#: What whoever needs them says where they are not there; the database is named before it.
NOT_MIGRATED = "is not migrated to this version; `earshot up` does it, in a fleet `earshot manage migrate`"


def pending(using: str = DEFAULT_DB_ALIAS) -> tuple[str, ...]:
    """Return the names of migrations still to apply, in their order. Raises DatabaseError where nobody answers."""
    executor = MigrationExecutor(connections[using])
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return tuple(f"{migration.app_label}.{migration.name}" for migration, _ in plan)
