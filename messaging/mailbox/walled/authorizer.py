"""What SQLite asks before each action, and the default-deny answer."""

from __future__ import annotations

import sqlite3

from messaging.mailbox.permits import PERMITS, WORDS, WORDS_TRIGGERS, WORDS_WITHIN

_READABLE = frozenset({*(permit.table for permit in PERMITS), WORDS, *WORDS_WITHIN})
_INSERTABLE = frozenset(permit.table for permit in PERMITS if permit.insert)
_UPDATABLE = {permit.table: frozenset(permit.update) for permit in PERMITS}
_PASS = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_TRANSACTION, sqlite3.SQLITE_SAVEPOINT, sqlite3.SQLITE_RECURSIVE}
)
_WRITES = frozenset({sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE})
#: Functions that read or run what lies outside the database.
_FUNCTIONS_BARRED = frozenset({"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer"})


def authorize(action: int, first: str | None, second: str | None, _database: str | None, within: str | None) -> int:
    """SQLITE_OK for what the permits hold, SQLITE_DENY for everything else, ATTACH and schema changes included."""
    allowed = _allowed(action, first or "", second or "") or _by_the_index(action, first or "", within or "")
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _allowed(action: int, first: str, second: str) -> bool:
    if action == sqlite3.SQLITE_READ:
        return first in _READABLE
    if action == sqlite3.SQLITE_INSERT:
        return first in _INSERTABLE
    if action == sqlite3.SQLITE_UPDATE:
        return second in _UPDATABLE.get(first, frozenset())
    if action == sqlite3.SQLITE_FUNCTION:
        return second.lower() not in _FUNCTIONS_BARRED
    return action in _PASS


def _by_the_index(action: int, first: str, within: str) -> bool:
    """What the index of words takes to be kept: rows by its triggers, its own tables, a look whether they changed."""
    if action == sqlite3.SQLITE_PRAGMA:
        return first == "data_version"
    if action == sqlite3.SQLITE_INSERT and first == WORDS:
        return within in WORDS_TRIGGERS
    return action in _WRITES and first in WORDS_WITHIN
