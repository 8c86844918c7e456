"""The database's own refusals: a step that does not follow, a state without its step, a forged mark.

The same rules in the two dialects, installed anew after every migration.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from django.db import DEFAULT_DB_ALIAS

from messaging.sql import trigger


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
    refuse = f"SELECT RAISE(ABORT, '{table}: {complaint}')"
    return trigger.sqlite(f"{table}_{name}", f"BEFORE {event} ON {table}", refuse, f"NOT (({holds}) IS TRUE)")


def _postgresql(name: str, table: str, event: str, holds: str, complaint: str) -> list[str]:
    refuse = f"RAISE EXCEPTION '{table}: {complaint}' USING ERRCODE = 'check_violation'"
    body = f"IF NOT (({holds}) IS TRUE) THEN {refuse}; END IF; RETURN NEW"
    return trigger.postgresql(f"{table}_{name}", f"BEFORE {event} ON {table}", body)


def _mark_guards() -> Iterator[str]:
    """PostgreSQL alone has roles: only who may set the house's mark may write a row that carries it."""
    for table, column, unset in (
        ("mailbox_transition", "journaled", "NOT NEW.journaled"),
        ("mailbox_turnstep", "journaled", "NOT NEW.journaled"),
        ("mailbox_attempt", "journaled", "NOT NEW.journaled"),
        ("mailbox_utterance", "message", "NEW.message IS NULL"),
        (
            "mailbox_toolcall",
            "message",
            "NEW.message IS NULL AND NEW.answer IS NULL AND NEW.ask IS NULL AND NEW.approved = ''",
        ),
    ):
        may = f"has_column_privilege(current_user, '{table}', '{column}', 'UPDATE')"
        yield from _postgresql("mark", table, "INSERT", f"{unset} OR {may}", "the mark is the house''s")


def statements(vendor: str, _: Collection[str] = ()) -> list[str]:
    """The SQL for a database of this vendor (`sqlite` or `postgresql`)."""
    dialect = {"sqlite": _sqlite, "postgresql": _postgresql}[vendor]
    rules = [line for history in HISTORIES for rule in _rules(history) for line in dialect(*rule)]
    return rules + (list(_mark_guards()) if vendor == "postgresql" else [])


def after_migrate(using: str = DEFAULT_DB_ALIAS, **_: object) -> None:
    """Signal handler of post_migrate."""
    trigger.install(using, statements)
