"""What has to be so before the first request: tables, static files, and the demo in an empty installation."""

from __future__ import annotations

import fcntl
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command

from collab import static_files
from collab.processes import readiness
from messaging.mailbox import alive
from messaging.mailbox.alive import Alive


class AlreadyRunning(Exception):
    """Another process has this data folder."""


@contextmanager
def sole_user(home: Path, role: str = "up") -> Iterator[None]:
    """Hold the data folder: two of us would each run its agents. Raises AlreadyRunning."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Only the holder may empty the file, which says who holds it, so it is opened without doing so.
    with (home / "lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyRunning(f"{home} is in use by another earshot up") from None
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
                role, _, raw = lock.read().partition("\n")
                return alive.decode(role, raw.encode())
    except OSError:
        return None
    return None


def tables() -> None:
    """Apply what is missing; looking whether anything is costs a fraction of doing so."""
    if readiness.pending():
        call_command("migrate", interactive=False, verbosity=0)


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


def sign_in_link(address: str) -> str | None:
    """Return a link that signs the installation's owner in, once; None where no owner can log in."""
    from messaging.actions import sign_in
    from messaging.roster.models import Installation

    owner = Installation.the().owner
    if owner is None or owner.account is None or not owner.account.is_active:
        return None
    return f"{address}/sign-in/{sign_in.new_link(owner.handle.spelled)}"
