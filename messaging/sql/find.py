"""Finds rows by keys of several columns, locked or not; several such questions in one go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connections, models

from messaging.sql import ends
from messaging.sql.column import Column, Row, adapted, columns, names, read


@dataclass(frozen=True, slots=True)
class Query:
    """A question, not yet asked. Without a statement its answer is nothing."""

    statement: str
    values: list[Any]
    columns: Sequence[Column]


def select(
    model: type[models.Model], by: tuple[str, ...], keys: Sequence[Row], fields: tuple[str, ...], ending: str = ""
) -> Query:
    """The `fields` of the rows whose `by` columns together are one of `keys`; `ending` closes the statement.

    Row by row through the index on `by`: several lists with IN would make PostgreSQL try their whole product.
    """
    own, place = columns(model, fields), columns(model, by)
    if not keys:
        return Query("", [], own)
    values = [part for row in adapted(place, keys) for part in row]
    where = f"{_one_of(place, len(keys))}{ending}"
    return Query(f'SELECT {names(own)} FROM "{model._meta.db_table}" WHERE {where}', values, own)


def _one_of(by: Sequence[Column], keys: int) -> str:
    """That the columns together are one of so many keys, in the form in which the database uses its index.

    SQLite reads the whole table where several columns are looked for in a list of rows.
    """
    marks = "(" + ", ".join(["%s"] * len(by)) + ")"
    if connections[DEFAULT_DB_ALIAS].vendor == "sqlite" and len(by) > 1:
        return "(" + " OR ".join([f"({names(by)}) = {marks}"] * keys) + ")"
    return f"({names(by)}) IN (VALUES {', '.join([marks] * keys)})"


def lock(model: type[models.Model], by: tuple[str, ...], keys: Sequence[Row], fields: tuple[str, ...]) -> Query:
    """The same, the rows locked in the order of `by` until the transaction ends.

    SQLite has no locks of rows: there the transaction itself is the only one that writes.
    """
    on_postgresql = connections[DEFAULT_DB_ALIAS].vendor == "postgresql"
    locking = f' FOR NO KEY UPDATE OF "{model._meta.db_table}"' if on_postgresql else ""
    return select(model, by, keys, fields, f" ORDER BY {names(columns(model, by))}{locking}")


def rows(query: Query) -> list[Row]:
    """The answer to one question. Raises django.db.DatabaseError."""
    return answers(query)[0]


def answers(*queries: Query) -> list[list[Row]]:
    """The answers to several, in their order: asked one after the other, each seeing what is there when it is asked.

    On PostgreSQL they travel together. Raises django.db.DatabaseError.
    """
    asked = [query for query in queries if query.statement]
    given = iter(_travelled(asked) if connections[DEFAULT_DB_ALIAS].vendor == "postgresql" else _each(asked))
    return [read(query.columns, next(given)) if query.statement else [] for query in queries]


def _travelled(asked: Sequence[Query]) -> list[list[Row]]:
    if not asked:
        return []
    found: list[list[Row]] = []
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        begin = ends.begin()
        statements = "; ".join(one.statement for one in asked)
        cursor.execute(begin + statements, [value for one in asked for value in one.values])
        for n in range(len(asked)):
            if n or begin:
                cursor.nextset()
            found.append(cursor.fetchall())
    return found


def _each(asked: Sequence[Query]) -> list[list[Row]]:
    found: list[list[Row]] = []
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        for one in asked:
            cursor.execute(one.statement, one.values)
            found.append(cursor.fetchall())
    return found
