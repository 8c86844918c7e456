"""Runs statements in a process with the agents' settings and environment, and tells what the database said.

For `earshot demo wall`. On standard input a JSON list of statements, on standard output a list of answers in the same
order: `{"rows": n}` or `{"refused": words}`. A statement that begins with `file:` opens that file past the wall.
"""

from __future__ import annotations

import json
import sqlite3
import sys
from typing import Any

FILE = "file:"


def main() -> None:
    """Answer all statements, one after the other."""
    import django

    django.setup()
    asked: list[str] = json.load(sys.stdin)
    json.dump([_answer(statement) for statement in asked], sys.stdout)


def _answer(statement: str) -> dict[str, Any]:
    from django.db import DatabaseError, connection

    try:
        if statement.startswith(FILE):
            sqlite3.connect(statement.removeprefix(FILE)).close()
            return {"rows": 1}
        with connection.cursor() as cursor:
            cursor.execute(statement)
            return {"rows": len(cursor.fetchall())}
    except (DatabaseError, PermissionError) as refusal:
        return {"refused": str(refusal).splitlines()[0]}


if __name__ == "__main__":
    main()
