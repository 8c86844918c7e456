"""A keyring for tests, by keyring's own way to choose one: what is in it lies in a file that the test names."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from keyring.backend import KeyringBackend
from keyring.errors import PasswordDeleteError

#: Seconds that one which does not answer takes.
SLEEPS = 1.0
#: PYTHON_KEYRING_BACKEND's value, and the variable with the file. A name of Python's own kind, for the environment of
#: agents lets no other through.
BACKEND, FILE = "tests.agents.ring.Ring", "PYTHONRINGFILE"


class Ring(KeyringBackend):
    """Entries by service and name. A name that begins with `asleep` is not answered in time."""

    priority = 1  # type: ignore[assignment]

    def _read(self) -> dict[str, str]:
        file = Path(os.environ[FILE])
        return json.loads(file.read_text()) if file.exists() else {}

    def _write(self, kept: dict[str, str]) -> None:
        Path(os.environ[FILE]).write_text(json.dumps(kept))

    def get_password(self, service: str, username: str) -> str | None:
        if username.startswith("asleep"):
            time.sleep(SLEEPS)
            return None
        return self._read().get(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        self._write(self._read() | {f"{service} {username}": password})

    def delete_password(self, service: str, username: str) -> None:
        kept = self._read()
        if f"{service} {username}" not in kept:
            raise PasswordDeleteError(username)
        del kept[f"{service} {username}"]
        self._write(kept)
