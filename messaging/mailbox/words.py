"""The index of what agents were shown and said, by its words: the one source of their retrieval.

A row enters it with its number, which is when it is shown or said; what waits, and what people say among themselves,
was never there. What was taken back stays in the index and is in no answer.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections

from messaging.domain.disposition import SHOWN
from messaging.mailbox.models import Delivery, Seat, Utterance
from messaging.mailbox.permits import WORDS
from messaging.sql import trigger

_HEARD, _SAID = "mailbox_delivery", "mailbox_utterance"
#: Which rows of each table may be found.
_MAY: Mapping[str, str] = MappingProxyType(
    {_HEARD: "r.state IN ({})".format(", ".join(f"'{state}'" for state in SHOWN)), _SAID: "r.kind = 'answer'"}
)
#: Which rows of each table are in the index.
_IN: Mapping[str, str] = MappingProxyType(
    {_HEARD: "number IS NOT NULL", _SAID: "number IS NOT NULL AND kind = 'answer'"}
)
#: Words of one search at most; more narrow nothing.
MOST_WORDS = 16
_WORD = re.compile(r"[^\W_]+")
_SQLITE = """SELECT r.id FROM mailbox_words w JOIN {table} r ON r.id = w.row
    WHERE mailbox_words MATCH %s AND r.seat_id = %s AND r.number > %s AND r.withheld_at IS NULL AND {may}
    ORDER BY w.rank, r.number DESC LIMIT %s"""
_POSTGRESQL = """SELECT r.id FROM {table} r, to_tsquery('simple', %s) wanted
    WHERE to_tsvector('simple', r.text) @@ wanted AND r.seat_id = %s AND r.number > %s AND r.withheld_at IS NULL
    AND {may} ORDER BY ts_rank(to_tsvector('simple', r.text), wanted) DESC, r.number DESC LIMIT %s"""


@dataclass(frozen=True, slots=True)
class Found:
    """Rows that match, each kind with the best first."""

    heard: list[Delivery]
    said: list[Utterance]


def find(seat: Seat, words: str, most: int) -> Found:
    """At most so many rows of each kind that were shown to the seat, or said by it, and hold these words.

    Rows that hold all of them; where there are none, rows that hold any. Of an agent that was started afresh, those
    since. Nothing is found for a text without a word.
    """
    wanted = list(dict.fromkeys(_WORD.findall(words.casefold())))[:MOST_WORDS]
    found = _find(seat, wanted, most, every=True)
    return found if found.heard or found.said else _find(seat, wanted, most, every=False)


def _find(seat: Seat, wanted: Sequence[str], most: int, *, every: bool) -> Found:
    if not wanted:
        return Found([], [])
    heard, said = (_ids(table, seat, wanted, most, every=every) for table in (_HEARD, _SAID))
    rows, answers = Delivery.objects.in_bulk(heard), Utterance.objects.in_bulk(said)
    return Found([rows[one] for one in heard], [answers[one] for one in said])


def _ids(table: str, seat: Seat, wanted: Sequence[str], most: int, *, every: bool) -> list[UUID]:
    connection = connections[DEFAULT_DB_ALIAS]
    if connection.vendor == "sqlite":
        together = (" AND " if every else " OR ").join(f'"{word}"' for word in wanted)
        ask, key = (_SQLITE, f'seat : "{seat.id.hex}" AND text : ({together})'), seat.id.hex
    else:
        ask, key = (_POSTGRESQL, (" & " if every else " | ").join(f"'{word}'" for word in wanted)), str(seat.id)
    template, match = ask
    with connection.cursor() as cursor:
        cursor.execute(template.format(table=table, may=_MAY[table]), [match, key, seat.fresh_from, most])
        return [one if isinstance(one, UUID) else UUID(one) for (one,) in cursor.fetchall()]


def statements(vendor: str, tables: Collection[str]) -> Iterator[str]:
    """What makes the index, and fills it with the rows of an older version."""
    if vendor == "sqlite":
        yield from _sqlite(tables)
        return
    for table, only in _IN.items():
        made = "CREATE INDEX IF NOT EXISTS {0}_words ON {0} USING gin (to_tsvector('simple', text)) WHERE {1}"
        yield made.format(table, only)


#: A row is found by its id as by any word: the index knows no other way to it.
_GONE = "DELETE FROM mailbox_words WHERE mailbox_words MATCH 'row : \"' || OLD.id || '\"'"
_NEW = "INSERT INTO mailbox_words (row, seat, text) SELECT NEW.id, NEW.seat_id, NEW.text"
_ALL = "INSERT INTO mailbox_words (row, seat, text) SELECT id, seat_id, text FROM {0} WHERE {1}"


def _sqlite(tables: Collection[str]) -> Iterator[str]:
    """A table of its own, which triggers fill. Only they may, for agents as well: see `mailbox.walled`."""
    if WORDS not in tables:
        yield "CREATE VIRTUAL TABLE mailbox_words USING fts5(row, seat, text)"
        yield from (_ALL.format(table, only) for table, only in _IN.items())
    shown = "OLD.number IS NULL AND NEW.number IS NOT NULL"
    yield from trigger.sqlite("mailbox_delivery_words", "AFTER UPDATE OF number ON mailbox_delivery", _NEW, shown)
    said = "NEW.number IS NOT NULL AND NEW.kind = 'answer'"
    yield from trigger.sqlite("mailbox_utterance_words", "AFTER INSERT ON mailbox_utterance", _NEW, said)
    for table in (_HEARD, _SAID):
        again = f"{_GONE}; {_NEW}"
        yield from trigger.sqlite(f"{table}_reworded", f"AFTER UPDATE OF text ON {table}", again, "NEW.number > 0")


def after_migrate(using: str = DEFAULT_DB_ALIAS, **_: object) -> None:
    """Signal handler of post_migrate."""
    trigger.install(using, statements)
