"""How a model's columns are called, and how their values get to the database and back: chosen once for all rows."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeAlias
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections, models

Adapt: TypeAlias = Callable[[Any], Any]
Row: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column's name, its type on PostgreSQL, and how a value gets there and back (None: as it is)."""

    name: str
    kind: str
    adapt: Adapt | None
    back: Adapt | None


@lru_cache(maxsize=64)
def columns(model: type[models.Model], fields: tuple[str, ...]) -> tuple[Column, ...]:
    """The columns of these fields, in their order."""
    vendor = connections[DEFAULT_DB_ALIAS].vendor
    return tuple(_column(model._meta.get_field(name), vendor) for name in fields)


def names(of: Sequence[Column]) -> str:
    """The columns' names as SQL lists them."""
    return ", ".join(f'"{column.name}"' for column in of)


def adapted(of: Sequence[Column], rows: Sequence[Row]) -> list[Row]:
    """Rows as the database's driver takes them."""
    turned = [(n, column.adapt) for n, column in enumerate(of) if column.adapt is not None]
    return [_turned(row, turned) for row in rows] if turned else list(rows)


def read(of: Sequence[Column], rows: Sequence[Row]) -> list[Row]:
    """Rows as Python wants them."""
    turned = [(n, column.back) for n, column in enumerate(of) if column.back is not None]
    return [_turned(row, turned) for row in rows] if turned else list(rows)


def _turned(row: Row, turned: Sequence[tuple[int, Adapt]]) -> Row:
    values = list(row)
    for n, turn in turned:
        values[n] = None if values[n] is None else turn(values[n])
    return tuple(values)


def _column(field: Any, vendor: str) -> Column:
    kind = field.target_field.get_internal_type() if field.is_relation else field.get_internal_type()
    return Column(field.column, _KINDS.get(kind, "text"), _ADAPT[vendor].get(kind), _BACK[vendor].get(kind))


#: Text stays text even where a column is bounded: a cast to its bound would cut silently, an assignment refuses.
_KINDS = {
    "UUIDField": "uuid",
    "DateTimeField": "timestamptz",
    "JSONField": "jsonb",
    "BooleanField": "boolean",
    "PositiveSmallIntegerField": "bigint",
    "PositiveIntegerField": "bigint",
    "PositiveBigIntegerField": "bigint",
    "BigAutoField": "bigint",
}


def _hex(value: UUID) -> str:
    return value.hex


def _moment(value: Any) -> Any:
    return connections[DEFAULT_DB_ALIAS].ops.adapt_datetimefield_value(value)


def _aware(value: datetime) -> datetime:
    # Django's connection has made a moment of the text, without a zone.
    return value.replace(tzinfo=UTC)


_ADAPT: Mapping[str, Mapping[str, Adapt]] = {
    "postgresql": {},
    "sqlite": {"JSONField": json.dumps, "UUIDField": _hex, "DateTimeField": _moment},
}
#: Of what is read here; JSON is left to the ORM.
_BACK: Mapping[str, Mapping[str, Adapt]] = {
    "postgresql": {},
    "sqlite": {"UUIDField": UUID, "DateTimeField": _aware},
}
