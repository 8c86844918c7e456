"""Rows of every model, from one database to another, and the proof that they are the same there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any, TypeAlias

from django.apps import apps
from django.core.management.color import no_style
from django.db import DEFAULT_DB_ALIAS, connection
from django.db.models import Field, Model, QuerySet
from django.db.models.options import Options

BATCH = 1000
Row: TypeAlias = tuple[Any, ...]
#: Called with a table, how many of its rows are done, and how many there are.
Progress: TypeAlias = Callable[[str, int, int], None]


class Unequal(Exception):
    """A row, or the number of rows, is not the same on both sides. Names the table, never a value."""


def tables() -> list[type[Model]]:
    """Every model with a table of its own, those between two others included, by the table's name."""
    found = apps.get_models(include_auto_created=True)
    own = [model for model in found if _described(model).managed and not _described(model).proxy]
    return sorted(own, key=table_of)


def table_of(model: type[Model]) -> str:
    """The table's name."""
    return _described(model).db_table


def copy(model: type[Model], source: str, progress: Progress) -> int:
    """Copy a table's rows to the default database, as they are; answer how many."""
    fields, whole, done = _fields(model), count(model, source), 0
    names = ", ".join(f'"{field.column}"' for field in fields)
    with connection.cursor() as cursor:
        for rows in _batches(model, source):
            with cursor.copy(f'COPY "{table_of(model)}" ({names}) FROM STDIN') as into:
                for row in rows:
                    into.write_row(
                        [field.get_db_prep_save(one, connection) for field, one in zip(fields, row, strict=True)]
                    )
            done += len(rows)
            progress(table_of(model), done, whole)
    return done


def compare(model: type[Model], source: str, progress: Progress) -> int:
    """Compare each row by a digest of all its columns; answer how many there are. Raises Unequal."""
    whole, done = count(model, source), 0
    if count(model, DEFAULT_DB_ALIAS) != whole:
        raise Unequal(f"{table_of(model)} has {whole} rows here and {count(model, DEFAULT_DB_ALIAS)} there")
    for rows in _batches(model, source):
        keys = [row[0] for row in rows]
        there = {row[0]: row for row in _rows(model, DEFAULT_DB_ALIAS).filter(pk__in=keys)}
        for row in rows:
            if digest(row) != digest(there.get(row[0], ())):
                raise Unequal(f"{table_of(model)} has a row that is not the same there, number {row[0]}")
        done += len(rows)
        progress(table_of(model), done, whole)
    return done


def digest(row: Row) -> bytes:
    """A row's 32 bytes: its columns in order, each with its type, whatever database it came from."""
    return hashlib.sha256(json.dumps([_plain(value) for value in row]).encode()).digest()


def count(model: type[Model], using: str) -> int:
    """How many rows a table has."""
    return _all(model, using).count()


def reset_sequences() -> None:
    """Have each table number its next row after those that were copied."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), tables()):
            cursor.execute(statement)


def _plain(value: Any) -> list[str]:
    """A value's type and its one spelling: times in UTC, objects with their keys in order."""
    if isinstance(value, datetime):
        return ["datetime", value.astimezone(UTC).isoformat()]
    if isinstance(value, bytes | memoryview):
        return ["bytes", bytes(value).hex()]
    if isinstance(value, dict | list):
        return ["json", json.dumps(value, sort_keys=True)]
    return [type(value).__name__, str(value)]


def _fields(model: type[Model]) -> list[Field[Any, Any]]:
    """The columns, the primary key first."""
    own = [field for field in _described(model).concrete_fields if not getattr(field, "generated", False)]
    return sorted(own, key=lambda field: not field.primary_key)


def _rows(model: type[Model], using: str) -> Any:
    names = [field.attname for field in _fields(model)]
    return _all(model, using).order_by("pk").values_list(*names)


def _described(model: type[Model]) -> Options[Any]:
    return model._meta  # noqa: SLF001 -- Django's documented way to a model's names and columns


def _all(model: type[Model], using: str) -> QuerySet[Any]:
    return model._base_manager.using(using)  # noqa: SLF001 -- documented too: the one manager that leaves nothing out


def _batches(model: type[Model], using: str) -> Iterator[list[Row]]:
    rows = _rows(model, using).iterator(chunk_size=BATCH)
    while batch := list(islice(rows, BATCH)):
        yield batch
