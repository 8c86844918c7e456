"""The database's own refusals: a step that does not follow, a state without its step, a forged mark.

The same rules in the two dialects, installed anew after every migration.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.db import DEFAULT_DB_ALIAS, connections


@dataclass(frozen=True, slots=True)
class History:
    """A table of things with a state, and the table of their steps."""

    things: str
    steps: str
    key: str
    frozen: tuple[str, ...] = ("id", "step", "before", "after", "reason", "by", "at")


_BASE = History("mailbox_turn", "mailbox_turnstep", "turn_id")
HISTORIES = (
    History("mailbox_delivery", "mailbox_transition", "delivery_id", (*_BASE.frozen, "retryable", "turn")),
    _BASE,
)

#: A step follows the one before it, or is the first.
_CHAIN = """(NEW.step = 1 AND NEW.before = '') OR EXISTS (
    SELECT 1 FROM {steps} s WHERE s.{key} = NEW.{key} AND s.step = NEW.step - 1 AND s.after = NEW.before)"""
#: A new thing's state is its last step.
_BORN = """EXISTS (SELECT 1 FROM {steps} s
    WHERE s.{key} = NEW.id AND s.step = NEW.step AND s.after = NEW.state)"""
#: A changed state is the very next step.
_MOVED = """(NEW.state = OLD.state AND NEW.step = OLD.step) OR (NEW.step = OLD.step + 1 AND EXISTS (
    SELECT 1 FROM {steps} s WHERE s.{key} = NEW.id AND s.step = NEW.step
    AND s.before = OLD.state AND s.after = NEW.state))"""
#: A column keeps its value, also where that is nothing.
_KEPT = '(NEW."{0}" = OLD."{0}" OR (NEW."{0}" IS NULL AND OLD."{0}" IS NULL))'


def _frozen(history: History) -> str:
    """What was written as a step stays as it was written; only the house's mark may be set."""
    return " AND ".join(_KEPT.format(column) for column in (history.key, *history.frozen))


def _rules(history: History) -> Iterator[tuple[str, str, str, str, str]]:
    """Each rule: name, table, event, condition that must hold, complaint."""
    names = {"steps": history.steps, "key": history.key}
    yield "chain", history.steps, "INSERT", _CHAIN.format(**names), "a step does not follow the one before"
    yield "frozen", history.steps, "UPDATE", _frozen(history), "a step cannot be changed"
    yield "born", history.things, "INSERT", _BORN.format(**names), "a state without its step"
    yield "moved", history.things, "UPDATE", _MOVED.format(**names), "a state without its step"


def _sqlite(name: str, table: str, event: str, holds: str, complaint: str) -> list[str]:
    when = f"BEFORE {event} ON {table} FOR EACH ROW WHEN NOT (({holds}) IS TRUE)"
    body = f"BEGIN SELECT RAISE(ABORT, '{table}: {complaint}'); END"
    return [f"DROP TRIGGER IF EXISTS {table}_{name}", f"CREATE TRIGGER {table}_{name} {when} {body}"]


#: Or a temporary table of the agents' role would stand before the real one.
PATH = "SET search_path = public, pg_catalog, pg_temp"


def _postgresql(name: str, table: str, event: str, holds: str, complaint: str) -> list[str]:
    refuse = f"RAISE EXCEPTION '{table}: {complaint}' USING ERRCODE = 'check_violation'"
    body = f"BEGIN IF NOT (({holds}) IS TRUE) THEN {refuse}; END IF; RETURN NEW; END"
    call = f"BEFORE {event} ON {table} FOR EACH ROW EXECUTE FUNCTION {table}_{name}()"
    return [
        f"CREATE OR REPLACE FUNCTION {table}_{name}() RETURNS trigger LANGUAGE plpgsql {PATH} AS $$ {body} $$",
        # In the old one's place at once: agents that run meanwhile must not meet a moment without it.
        f"CREATE OR REPLACE TRIGGER {table}_{name} {call}",
    ]


def _mark_guards() -> Iterator[str]:
    """PostgreSQL alone has roles: only who may set the house's mark may write a row that carries it."""
    for table, column, unset in (
        ("mailbox_transition", "journaled", "NOT NEW.journaled"),
        ("mailbox_turnstep", "journaled", "NOT NEW.journaled"),
        ("mailbox_attempt", "journaled", "NOT NEW.journaled"),
        ("mailbox_utterance", "message", "NEW.message IS NULL"),
    ):
        may = f"has_column_privilege(current_user, '{table}', '{column}', 'UPDATE')"
        yield from _postgresql("mark", table, "INSERT", f"{unset} OR {may}", "the mark is the house''s")


def statements(vendor: str) -> list[str]:
    """The SQL for a database of this vendor (`sqlite` or `postgresql`)."""
    dialect = {"sqlite": _sqlite, "postgresql": _postgresql}[vendor]
    rules = [line for history in HISTORIES for rule in _rules(history) for line in dialect(*rule)]
    return rules + (list(_mark_guards()) if vendor == "postgresql" else [])


def after_migrate(using: str = DEFAULT_DB_ALIAS, **_: object) -> None:
    """Signal handler of post_migrate. After each one, since SQLite's remade tables lose their triggers."""
    connection = connections[using]
    if using != DEFAULT_DB_ALIAS:
        return
    with connection.cursor() as cursor:
        for line in statements(connection.vendor):
            cursor.execute(line)
