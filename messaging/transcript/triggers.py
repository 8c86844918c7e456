"""The audit log only grows: the database itself refuses to change an entry, or to take one away.

That binds every program that comes by the house's own connection. Who owns the database can still take the triggers
away; no role and no program of Earshot needs to.
"""

from __future__ import annotations

from collections.abc import Collection

from django.db import DEFAULT_DB_ALIAS

from messaging.sql import trigger

TABLE = "transcript_auditentry"
_EVENTS = ("UPDATE", "DELETE")
_WORDS = f"{TABLE}: an entry stays as it was written"


def statements(vendor: str, tables: Collection[str]) -> list[str]:
    """The SQL for a database of this vendor (`sqlite` or `postgresql`) in which these tables are."""
    if TABLE not in tables:
        return []
    if vendor == "sqlite":
        stop = f"SELECT RAISE(ABORT, '{_WORDS}')"
        return [line for event in _EVENTS for line in trigger.sqlite(_name(event), _on(event), stop)]
    refuse = f"RAISE EXCEPTION '{_WORDS}' USING ERRCODE = 'check_violation'"
    rows = [line for event in _EVENTS for line in trigger.postgresql(_name(event), _on(event), refuse)]
    return [*rows, *trigger.postgresql(_name("TRUNCATE"), _on("TRUNCATE"), refuse, each="STATEMENT")]


def removal(vendor: str) -> list[str]:
    """The SQL that takes them away again, for who owns the database and empties it, as tests do."""
    names = [_name(event) for event in (*_EVENTS, "TRUNCATE")]
    return [f"DROP TRIGGER IF EXISTS {name}" + (f" ON {TABLE}" if vendor == "postgresql" else "") for name in names]


def _on(event: str) -> str:
    return f"BEFORE {event} ON {TABLE}"


def _name(event: str) -> str:
    return f"{TABLE}_keeps_{event.lower()}"


def after_migrate(using: str = DEFAULT_DB_ALIAS, **_: object) -> None:
    """Signal handler of post_migrate."""
    trigger.install(using, statements)
