"""A transaction's two ends travel with its first and its last statement on PostgreSQL: two waits fewer for each commit.

Django and its driver send BEGIN and COMMIT by themselves and wait for each. Both look at the state of the connection
first, and have nothing to do where a statement has brought it there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.transaction import TransactionManagementError
from psycopg.pq import TransactionStatus


def begin() -> str:
    """What to put before the first statement of a transaction; nothing anywhere else."""
    connection = connections[DEFAULT_DB_ALIAS]
    driver: Any = connection.connection
    if not connection.in_atomic_block or driver is None or driver.autocommit:
        return ""
    if driver.info.transaction_status != TransactionStatus.IDLE:
        return ""
    # Or the driver would begin by itself. Django sets it so at the transaction's end anyhow.
    driver.autocommit = True
    return "BEGIN; "


def commit() -> str:
    """What to put after the last statement of a transaction; nothing within another one.

    An error in any of the statements, or at the commit itself, is raised where they are sent.
    """
    return "; COMMIT" if len(connections[DEFAULT_DB_ALIAS].atomic_blocks) == 1 else ""


def committed() -> None:
    """Refuses further statements until Django has left the transaction too: they would run outside of any."""
    connection = connections[DEFAULT_DB_ALIAS]
    ended = connection.atomic_blocks[0]

    def refuse(execute: Callable[..., Any], *statement: Any) -> Any:
        if connection.atomic_blocks and connection.atomic_blocks[0] is ended:
            raise TransactionManagementError("the commit has travelled with an earlier statement")
        connection.execute_wrappers.remove(refuse)
        return execute(*statement)

    connection.execute_wrappers.append(refuse)
