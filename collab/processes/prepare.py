"""What has to be so before the first request: tables, static files, and the demo in an empty installation."""

from __future__ import annotations

import fcntl
import io
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection

from collab import static_files
from collab.processes import schema
from messaging.mailbox import alive
from messaging.mailbox.alive import Alive

#: Seconds in which a start asks again for the data folder: whoever merely looks at it holds it for a moment, too.
PATIENCE = 0.5
AGAIN = 0.02


class AlreadyRunning(Exception):
    """Another process has this data folder."""


@contextmanager
def sole_user(home: Path, role: str = "up") -> Iterator[None]:
    """Hold the data folder: two of us would each run its agents. Raises AlreadyRunning, with the other's words."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Only the holder may empty the file, which says who holds it, so it is opened without doing so.
    with (home / "lock").open("a+") as lock:
        if not _held(lock):
            raise AlreadyRunning(f"{home} is in use by {_in_words(_holder(lock))}")
        lock.truncate(0)
        lock.write(f"{role}\n{alive.encode(alive.this_process(role))}")
        lock.flush()
        yield


def user_of(home: Path) -> Alive | None:
    """Return the process that holds the data folder now, or None."""
    try:
        with (home / "lock").open() as lock:
            try:
                # Held for as long as it takes to let go again.
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return _holder(lock)
    except OSError:
        return None
    return None


def _held(lock: TextIO) -> bool:
    end = time.monotonic() + PATIENCE
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > end:
                return False
            time.sleep(AGAIN)
        else:
            return True


def _holder(lock: TextIO) -> Alive | None:
    """Who says in the file that the folder is theirs; None while they are about to say so."""
    lock.seek(0)
    role, _, raw = lock.read(alive.LONGEST).partition("\n")
    return alive.decode(role, raw)


def _in_words(holder: Alive | None) -> str:
    return f"`earshot {holder.role}` (process {holder.pid} on {holder.host})" if holder else "another earshot command"


def tables() -> None:
    """Apply what is missing; looking whether anything is costs a fraction of doing so."""
    if schema.pending():
        call_command("migrate", interactive=False, verbosity=0)


def whole_file() -> None:
    """Bring all that SQLite keeps beside its file into the file: whoever copies it alone has everything."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def static() -> None:
    """Gather static files where they are served under hashed names."""
    if not settings.DEBUG:
        static_files.collect()


def demo() -> bool:
    """Fill an installation that has nobody in it; tell whether that was so."""
    if get_user_model().objects.exists():
        return False
    call_command("seed_demo", verbosity=0, stdout=io.StringIO())
    return True
