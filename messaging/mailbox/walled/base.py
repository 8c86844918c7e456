"""The Django database engine `messaging.mailbox.walled`: SQLite behind the authorizer."""

from __future__ import annotations

import sqlite3
from contextlib import suppress
from typing import Any

from django.db.backends.sqlite3 import base

from messaging.mailbox.walled import opening
from messaging.mailbox.walled.authorizer import authorize


class DatabaseWrapper(base.DatabaseWrapper):
    """SQLite as Django knows it, walled from the moment its own set-up is done."""

    def get_new_connection(self, conn_params: dict[str, Any]) -> sqlite3.Connection:
        """Opens the connection and raises the wall before anybody can ask it anything."""
        with opening():
            connection: sqlite3.Connection = super().get_new_connection(conn_params)
        # The index is opened by statements about the schema, which nobody may make once the wall stands.
        with suppress(sqlite3.OperationalError):
            connection.execute("SELECT 1 FROM mailbox_words LIMIT 0")
        connection.set_authorizer(authorize)
        return connection
