"""Inserts and updates many rows by one statement, from plain tuples.

`bulk_create` makes an object of each row and asks each of its fields what to store; at thousands of rows a second
that is most of the time a post takes. Here a column's way into the database is chosen once for all rows.
Signals and defaults play no part: every column is named.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections, models

Adapt = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class _Column:
    """A column's name, its type on PostgreSQL, and how a value gets there and back (None: as it is)."""

    name: str
    kind: str
    adapt: Adapt | None
    back: Adapt | None


def insert(model: type[models.Model], fields: tuple[str, ...], rows: Sequence[tuple[Any, ...]]) -> None:
    """Inserts `rows`, each with a value for each of the model's `fields`. Raises django.db.DatabaseError."""
    if not rows:
        return
    connection = connections[DEFAULT_DB_ALIAS]
    table, columns = model._meta.db_table, _columns(model, fields, connection.vendor)
    names = ", ".join(f'"{column.name}"' for column in columns)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            statement = f'INSERT INTO "{table}" ({names}) SELECT * FROM {_recordset(columns)}'
            cursor.execute(statement, [_document(columns, rows)])
        else:
            marks = ", ".join("%s" for _ in columns)
            statement = f'INSERT INTO "{table}" ({names}) VALUES ({marks})'
            cursor.executemany(statement, _by_row(columns, rows))


def create(objects: Sequence[models.Model]) -> None:
    """Inserts whole objects of one model, each of its columns as it is."""
    if objects:
        fields = [field for field in type(objects[0])._meta.concrete_fields if not isinstance(field, models.AutoField)]
        rows = [tuple(getattr(one, field.attname) for field in fields) for one in objects]
        insert(type(objects[0]), tuple(field.name for field in fields), rows)


def update(model: type[models.Model], fields: tuple[str, ...], values: Mapping[Any, tuple[Any, ...]]) -> None:
    """Sets `fields` of the rows whose primary keys are the keys of `values`. Raises django.db.DatabaseError."""
    if not values:
        return
    connection = connections[DEFAULT_DB_ALIAS]
    table, columns = model._meta.db_table, _columns(model, (model._meta.pk.name, *fields), connection.vendor)
    key, *changed = columns
    rows = [(pk, *row) for pk, row in values.items()]
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            sets = ", ".join(f'"{column.name}" = given."{column.name}"' for column in changed)
            where = f'"{table}"."{key.name}" = given."{key.name}"'
            statement = f'UPDATE "{table}" SET {sets} FROM {_recordset(columns)} WHERE {where}'
            cursor.execute(statement, [_document(columns, rows)])
        else:
            sets = ", ".join(f'"{column.name}" = %s' for column in changed)
            statement = f'UPDATE "{table}" SET {sets} WHERE "{key.name}" = %s'
            cursor.executemany(statement, [(*row, pk) for pk, *row in _by_row(columns, rows)])


def select(
    model: type[models.Model], by: tuple[str, ...], keys: Sequence[tuple[Any, ...]], fields: tuple[str, ...]
) -> list[tuple[Any, ...]]:
    """The `fields` of the rows whose `by` columns together are one of `keys`.

    Row by row through the index on `by`: several lists with IN would make PostgreSQL try their whole product.
    """
    return _read(model, by, keys, fields) if keys else []


def lock(
    model: type[models.Model], by: tuple[str, ...], keys: Sequence[tuple[Any, ...]], fields: tuple[str, ...]
) -> list[tuple[Any, ...]]:
    """The same, the rows locked in the order of `by` until the transaction ends.

    SQLite has no locks of rows: there the transaction itself is the only one that writes.
    """
    vendor = connections[DEFAULT_DB_ALIAS].vendor
    order = ", ".join(f'"{column.name}"' for column in _columns(model, by, vendor))
    ending = "" if vendor == "sqlite" else f' FOR NO KEY UPDATE OF "{model._meta.db_table}"'
    return _read(model, by, keys, fields, f" ORDER BY {order}{ending}") if keys else []


def _read(
    model: type[models.Model],
    by: tuple[str, ...],
    keys: Sequence[tuple[Any, ...]],
    fields: tuple[str, ...],
    ending: str = "",
) -> list[tuple[Any, ...]]:
    connection = connections[DEFAULT_DB_ALIAS]
    columns, wanted = _columns(model, fields, connection.vendor), _columns(model, by, connection.vendor)
    names = ", ".join(f'"{column.name}"' for column in columns)
    place = ", ".join(f'"{column.name}"' for column in wanted)
    marks = ", ".join(["(" + ", ".join(["%s"] * len(by)) + ")"] * len(keys))
    where = f"({place}) IN (VALUES {marks}){ending}"
    given = [part for row in _by_row(wanted, keys) for part in row]
    with connection.cursor() as cursor:
        cursor.execute(f'SELECT {names} FROM "{model._meta.db_table}" WHERE {where}', given)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    turned = [(n, column.back) for n, column in enumerate(columns) if column.back is not None]
    if not turned:
        return rows
    return [_back(list(row), turned) for row in rows]


def _back(row: list[Any], turned: Sequence[tuple[int, Adapt]]) -> tuple[Any, ...]:
    for n, back in turned:
        row[n] = None if row[n] is None else back(row[n])
    return tuple(row)


@contextmanager
def together() -> Iterator[None]:
    """Sends the statements within at once and waits for them once, where the database can. They must not read."""
    connection = connections[DEFAULT_DB_ALIAS]
    if connection.vendor != "postgresql":
        yield
        return
    connection.ensure_connection()
    with connection.wrap_database_errors, connection.connection.pipeline():
        yield


def _recordset(columns: Sequence[_Column]) -> str:
    """Rows out of one JSON document: a single value to quote, whatever the number of rows."""
    kinds = ", ".join(f'"{column.name}" {column.kind}' for column in columns)
    return f"json_to_recordset(%s::json) AS given({kinds})"


def _document(columns: Sequence[_Column], rows: Sequence[tuple[Any, ...]]) -> str:
    names = [column.name for column in columns]
    return json.dumps([dict(zip(names, row, strict=True)) for row in rows], default=str)


def _by_column(columns: Sequence[_Column], rows: Sequence[tuple[Any, ...]]) -> list[list[Any]]:
    turned = zip(*rows, strict=True)
    return [_adapted(column, values) for column, values in zip(columns, turned, strict=True)]


def _by_row(columns: Sequence[_Column], rows: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return list(zip(*_by_column(columns, rows), strict=True))


def _adapted(column: _Column, values: Iterable[Any]) -> list[Any]:
    if column.adapt is None:
        return list(values)
    return [None if value is None else column.adapt(value) for value in values]


@lru_cache(maxsize=64)
def _columns(model: type[models.Model], fields: tuple[str, ...], vendor: str) -> tuple[_Column, ...]:
    return tuple(_column(model, name, vendor) for name in fields)


def _column(model: type[models.Model], name: str, vendor: str) -> _Column:
    field: Any = model._meta.get_field(name)
    kind = field.target_field.get_internal_type() if field.is_relation else field.get_internal_type()
    return _Column(field.column, _KINDS.get(kind, "text"), _ADAPT[vendor].get(kind), _BACK[vendor].get(kind))


#: Text stays text even where a column is bounded: a cast to its bound would cut silently, an assignment refuses.
#: A moment's `str` is what PostgreSQL reads, zone and all.
_KINDS = {
    "UUIDField": "uuid",
    "DateTimeField": "timestamptz",
    "JSONField": "jsonb",
    "BooleanField": "boolean",
    "PositiveIntegerField": "bigint",
    "PositiveBigIntegerField": "bigint",
    "BigAutoField": "bigint",
}


def _hex(value: UUID) -> str:
    return value.hex


def _moment(value: Any) -> Any:
    return connections[DEFAULT_DB_ALIAS].ops.adapt_datetimefield_value(value)


def _json(value: Any) -> str:
    return "{}" if value == {} else "[]" if value == [] else json.dumps(value)


_ADAPT: Mapping[str, Mapping[str, Adapt]] = {
    "postgresql": {},
    "sqlite": {"JSONField": _json, "UUIDField": _hex, "DateTimeField": _moment},
}


def _aware(value: datetime) -> datetime:
    # Django's connection has made a moment of the text, without a zone.
    return value.replace(tzinfo=UTC)


#: Of what is read here; JSON is left to the ORM.
_BACK: Mapping[str, Mapping[str, Adapt]] = {
    "postgresql": {},
    "sqlite": {"UUIDField": UUID, "DateTimeField": _aware},
}
