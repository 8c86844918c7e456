"""Inserts and updates many rows by one statement, from plain tuples.

`bulk_create` makes an object of each row and asks each of its fields what to store; at thousands of rows a second
that is most of the time a post takes. Signals and defaults play no part here: every column is named.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, models

from messaging.sql import ends
from messaging.sql.column import Column, Row, adapted, columns, names


def insert(model: type[models.Model], fields: tuple[str, ...], rows: Sequence[Row]) -> None:
    """Inserts `rows`, each with a value for each of the model's `fields`. Raises django.db.DatabaseError."""
    own = columns(model, fields)
    into = f'INSERT INTO "{model._meta.db_table}" ({names(own)})'
    marks = ", ".join("%s" for _ in own)
    if rows and _travels():
        _send(f"{into} SELECT * FROM {_recordset(own)}", [_document(own, rows)])
    elif rows:
        _each(f"{into} VALUES ({marks})", adapted(own, rows))


def create(objects: Sequence[models.Model]) -> None:
    """Inserts whole objects of one model, each of its columns as it is."""
    if objects:
        fields = [field for field in type(objects[0])._meta.concrete_fields if not isinstance(field, models.AutoField)]
        rows = [tuple(getattr(one, field.attname) for field in fields) for one in objects]
        insert(type(objects[0]), tuple(field.name for field in fields), rows)


def update(model: type[models.Model], fields: tuple[str, ...], values: Mapping[Any, Row]) -> None:
    """Sets `fields` of the rows whose primary keys are the keys of `values`. Raises django.db.DatabaseError."""
    # The key comes last, as SQLite's marks come.
    *changed, key = own = columns(model, (*fields, model._meta.pk.name))
    table = model._meta.db_table
    rows = [(*row, pk) for pk, row in values.items()]
    if rows and _travels():
        sets = ", ".join(f'"{column.name}" = given."{column.name}"::{column.kind}' for column in changed)
        marks = ", ".join(["(" + ", ".join(["%s"] * len(own)) + ")"] * len(rows))
        # Not from a document, whose number of rows is a guess: PostgreSQL would rather read the whole table.
        source = f"(VALUES {marks}) AS given({names(own)})"
        where = f'"{table}"."{key.name}" = given."{key.name}"::{key.kind}'
        _send(f'UPDATE "{table}" SET {sets} FROM {source} WHERE {where}', [value for row in rows for value in row])
    elif rows:
        sets = ", ".join(f'"{column.name}" = %s' for column in changed)
        _each(f'UPDATE "{table}" SET {sets} WHERE "{key.name}" = %s', adapted(own, rows))


def _recordset(own: Sequence[Column]) -> str:
    """Rows out of one JSON document: a single value to quote, whatever the number of rows."""
    kinds = ", ".join(f'"{column.name}" {column.kind}' for column in own)
    return f"json_to_recordset(%s::json) AS given({kinds})"


def _document(own: Sequence[Column], rows: Sequence[Row]) -> str:
    keys = [column.name for column in own]
    # A moment's `str` is what PostgreSQL reads, zone and all.
    return json.dumps([dict(zip(keys, row, strict=True)) for row in rows], default=str)


_gathering = threading.local()


@contextmanager
def together(*, last: bool = False) -> Iterator[None]:
    """Sends the statements within as one, at its end, where the database can: one wait instead of several.

    Each still sees what those before it did. Nothing may be read within, and with `last` nothing read or written
    after it in the transaction: the commit travels along. Raises django.db.DatabaseError at the end.
    """
    if not _travels() or _gathered() is not None:
        yield
        return
    statements: list[tuple[str, list[Any]]] = []
    _gathering.statements = statements
    try:
        yield
    finally:
        _gathering.statements = None
    if statements:
        commit = ends.commit() if last else ""
        text = "; ".join(line for line, _ in statements) + commit
        _send(text, [value for _, values in statements for value in values])
        if commit:
            ends.committed()


def _gathered() -> list[tuple[str, list[Any]]] | None:
    return getattr(_gathering, "statements", None)


def _travels() -> bool:
    """Whether the database takes several statements in one message."""
    return connections[DEFAULT_DB_ALIAS].vendor == "postgresql"


def _send(statement: str, values: list[Any]) -> None:
    waiting = _gathered()
    if waiting is not None:
        waiting.append((statement, values))
        return
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(statement, values)


def _each(statement: str, rows: Sequence[Row]) -> None:
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.executemany(statement, rows)
