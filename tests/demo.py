"""The demo as most tests begin with it: made once by the verbs themselves, then laid down as rows.

The rows are those that `seed` has made, under keys and at times of their own; only what `seed` announces to others is
not announced. Where there is anybody already, and wherever `seed` is what a test is about, it is `seed` itself.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from django.apps import apps
from django.db import connection, transaction
from django.db.models import Model, sql
from django.utils import timezone

from messaging.actions.demo import SLUG, seed
from messaging.actions.open_session import OPEN
from messaging.journal.models import Clock
from messaging.roster.models import Session

#: Whatever would make `seed` do something else.
_ANYBODY = f"""SELECT EXISTS (SELECT 1 FROM roster_handle) OR EXISTS (SELECT 1 FROM roster_account)
    OR EXISTS (SELECT 1 FROM roster_installation) OR EXISTS (SELECT 1 FROM roster_session WHERE slug <> '{OPEN}')"""
_rows: dict[type[Model], list[dict[str, Any]]] = {}
_made_at = timezone.now()


def remember() -> None:
    """Have it made, look at it, and take it back."""
    global _made_at
    with transaction.atomic():
        before = _all()
        seed()
        _made_at = timezone.now()
        for model, rows in _all().items():
            _rows[model] = [row for row in rows if row not in before[model]]
            assert len(_rows[model]) == len(rows) - len(before[model]), f"it changes a row of {model}"
        transaction.set_rollback(True)


def _all() -> dict[type[Model], list[dict[str, Any]]]:
    # Members and seats move the epoch of a clock that is there, which has been moved already.
    models = sorted(apps.get_models(include_auto_created=True), key=lambda model: model is Clock)
    return {model: list(model._base_manager.values()) for model in models}


@transaction.atomic
def laid() -> Session:
    """The demo's session, with all that `seed` makes."""
    with connection.cursor() as cursor:
        cursor.execute(_ANYBODY)
        if cursor.fetchone()[0]:
            return seed()
    copy = _Copy()
    for model, rows in _rows.items():
        if rows:
            query = sql.InsertQuery(model)
            query.insert_values(model._meta.concrete_fields, [model(**copy.of(row)) for row in rows], raw=True)
            query.get_compiler(connection=connection).execute_sql()
    return Session.objects.select_related("active_agent__handle").get(slug=SLUG)


class _Copy:
    """New keys for those of the rows, and the times that it would be now."""

    def __init__(self) -> None:
        pks = (row.get(model._meta.pk.attname) for model, rows in _rows.items() for row in rows)
        self._keys = {pk: uuid4() for pk in pks if isinstance(pk, UUID)}
        self._later: timedelta = timezone.now() - _made_at

    def of(self, row: dict[str, Any]) -> dict[str, Any]:
        return {name: self._value(value) for name, value in row.items()}

    def _value(self, value: Any) -> Any:
        if isinstance(value, UUID):
            return self._keys.get(value, value)
        return value + self._later if isinstance(value, datetime) else value
