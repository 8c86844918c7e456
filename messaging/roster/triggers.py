"""The database moves the epochs itself: whatever changes a right, a name or a credential, by whichever way.

What is remembered against an epoch (`known`, open sockets) is only as good as the epochs are; a verb that forgot to
move one, or a statement typed by hand, would leave a removed member their place. Installed anew after every
migration, in both dialects.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from django.db import DEFAULT_DB_ALIAS

from messaging.sql import trigger

#: Of a row that was, and of one that is: a membership may be moved from one session to another.
_SESSION = "UPDATE journal_clock SET epoch = epoch + 1 WHERE session IN ({keys})"
#: The row is made where it is missing: a number that does not move would vouch for anything.
_HOUSE = (
    "INSERT INTO roster_installation (id, epoch) VALUES (1, 1) "
    "ON CONFLICT (id) DO UPDATE SET epoch = roster_installation.epoch + 1"
)


@dataclass(frozen=True, slots=True)
class Watched:
    """A table whose rows decide something: which columns of an update, on which events, and whose epoch moves.

    `session` names the column with the session whose epoch it is; without one it is the installation's.
    """

    table: str
    columns: tuple[str, ...]
    events: tuple[str, ...] = ("UPDATE", "DELETE")
    session: str = ""


_ALL = ("INSERT", "UPDATE", "DELETE")
WATCHED = (
    Watched(
        "roster_session",
        (
            "slug",
            "active_agent_id",
            "default_audience",
            "answers",
            "guests_public",
            "roles",
            "namespace",
            "sources",
            "closed_at",
        ),
        session="id",
    ),
    Watched(
        "roster_membership",
        ("session_id", "person_id", "agent_id", "role", "left_at"),
        _ALL,
        session="session_id",
    ),
    # Not the counters: agents change `shown`, and have no right on clocks.
    Watched(
        "mailbox_seat",
        ("session", "agent", "handle", "name", "kind", "policy", "sources", "placement", "open"),
        _ALL,
        session="session",
    ),
    Watched("roster_account", ("is_active", "is_staff")),
    Watched("roster_person", ("name", "account_id", "handle_id")),
    Watched("roster_agent", ("name", "enabled", "handle_id", "owner_id", "turns_a_day", "tokens_a_day")),
    Watched("roster_handle", ("spelled",)),
    Watched("roster_token", ("hash", "person_id", "agent_id", "revoked_at")),
    Watched("roster_installation", ("owner_id", "agents_paused_at"), ("UPDATE",)),
    # A login ends when its row goes; Django tells of it before that, too early for who looks again at once. A sign-in
    # replaces such a row too, so each process then reads again what it remembered: a few queries.
    Watched("django_session", (), ("DELETE",)),
)


def _each(tables: Collection[str]) -> Iterator[tuple[str, str, str]]:
    """Name, when it runs, and the statement that moves the epoch; of those tables that are there."""
    for one in WATCHED:
        for event in one.events if one.table in tables else ():
            on = f"UPDATE OF {', '.join(one.columns)}" if event == "UPDATE" else event
            rows = {"INSERT": ("NEW",), "UPDATE": ("OLD", "NEW"), "DELETE": ("OLD",)}[event]
            keys = ", ".join(f"{row}.{one.session}" for row in rows)
            moves = _SESSION.format(keys=keys) if one.session else _HOUSE
            yield f"{one.table}_moves_{event.lower()}", f"AFTER {on} ON {one.table}", moves


def _postgresql(name: str, on: str, moves: str) -> list[str]:
    return trigger.postgresql(name, on, f"{moves}; RETURN NULL")


def statements(vendor: str, tables: Collection[str]) -> list[str]:
    """The SQL for a database of this vendor (`sqlite` or `postgresql`) in which these tables are."""
    dialects: dict[str, Callable[[str, str, str], list[str]]]
    dialects = {"sqlite": trigger.sqlite, "postgresql": _postgresql}
    return [line for one in _each(tables) for line in dialects[vendor](*one)]


def after_migrate(using: str = DEFAULT_DB_ALIAS, **_: object) -> None:
    """Signal handler of post_migrate."""
    trigger.install(using, statements)
