"""Python's own refusal of databases that are not behind the wall: the third ring's other half on SQLite.

It stops a slip and a curious library, not hostile code: that would find other ways to read a file.
"""

from __future__ import annotations

import sys

from messaging.mailbox import walled

_installed = False
_BARRED = frozenset({"sqlite3.enable_load_extension", "sqlite3.load_extension"})


def refuse(event: str, _arguments: tuple[object, ...]) -> None:
    """Raises PermissionError for a connection that the walled engine does not open itself."""
    if event in _BARRED or (event == "sqlite3.connect" and not walled.is_opening()):
        raise PermissionError("agents reach no database but the walled one")


def install() -> None:
    """Installs the refusal for as long as the process lives, once."""
    global _installed
    if not _installed:
        sys.addaudithook(refuse)
        _installed = True
