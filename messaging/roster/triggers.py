"""The database moves the epochs itself: whatever changes a right, a name or a credential, by whichever way.

What is remembered against an epoch (`known`, open sockets) is only as good as the epochs are; a verb that forgot to
move one, or a statement typed by hand, would leave a removed member their place. Installed anew after every
migration, in both dialects.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import DEFAULT_DB_ALIAS, connections

from messaging.mailbox.triggers import PATH

_SESSION = "UPDATE journal_clock SET epoch = epoch + 1 WHERE session = {row}.{key}"
#: The row is made where it is missing: a number that does not move would vouch for anything.
_HOUSE = (
    "INSERT INTO roster_installation (id, epoch) VALUES (1, 1) "
    "ON CONFLICT (id) DO UPDATE SET epoch = roster_installation.epoch + 1"
)


@dataclass(frozen=True, slots=True)
class Watched:
    """A table whose rows decide something: on which events, which columns of an update, and what moves."""

    table: str
    columns: tuple[str, ...]
    moves: str
    events: tuple[str, ...] = ("UPDATE", "DELETE")


WATCHED = (
    Watched(
        "roster_session",
        ("slug", "active_agent_id", "default_audience", "answers", "guests_public", "closed_at"),
        _SESSION.replace("{key}", "id"),
    ),
    Watched(
        "roster_membership",
        ("session_id", "person_id", "agent_id", "role", "left_at"),
        _SESSION.replace("{key}", "session_id"),
        ("INSERT", "UPDATE", "DELETE"),
    ),
    Watched("roster_account", ("is_active", "is_staff"), _HOUSE),
    Watched("roster_person", ("name", "account_id", "handle_id"), _HOUSE),
    Watched("roster_agent", ("name", "enabled", "handle_id"), _HOUSE),
    Watched("roster_token", ("hash", "person_id", "agent_id", "revoked_at"), _HOUSE),
    Watched("roster_installation", ("owner_id",), _HOUSE, ("UPDATE",)),
)


def _each() -> Iterator[tuple[str, str, str, str]]:
    """Name, table, event with its columns, and the statement that moves the epoch."""
    for one in WATCHED:
        for event in one.events:
            on = f"UPDATE OF {', '.join(one.columns)}" if event == "UPDATE" else event
            yield (
                f"{one.table}_moves_{event.lower()}",
                one.table,
                on,
                one.moves.replace("{row}", "OLD" if event == "DELETE" else "NEW"),
            )


def _sqlite(name: str, table: str, event: str, moves: str) -> list[str]:
    return [
        f"DROP TRIGGER IF EXISTS {name}",
        f"CREATE TRIGGER {name} AFTER {event} ON {table} FOR EACH ROW BEGIN {moves}; END",
    ]


def _postgresql(name: str, table: str, event: str, moves: str) -> list[str]:
    body = f"BEGIN {moves}; RETURN NULL; END"
    return [
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql {PATH} AS $$ {body} $$",
        # In the old one's place at once: what changes meanwhile must move its epoch, too.
        f"CREATE OR REPLACE TRIGGER {name} AFTER {event} ON {table} FOR EACH ROW EXECUTE FUNCTION {name}()",
    ]


def statements(vendor: str) -> list[str]:
    """The SQL for a database of this vendor (`sqlite` or `postgresql`)."""
    dialect = {"sqlite": _sqlite, "postgresql": _postgresql}[vendor]
    return [line for one in _each() for line in dialect(*one)]


def after_migrate(using: str = DEFAULT_DB_ALIAS, **_: object) -> None:
    """Signal handler of post_migrate. After each one, since SQLite's remade tables lose their triggers."""
    if using != DEFAULT_DB_ALIAS:
        return
    connection = connections[using]
    with connection.cursor() as cursor:
        for line in statements(connection.vendor):
            cursor.execute(line)
