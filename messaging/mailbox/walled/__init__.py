"""SQLite's half of the third ring: a connection whose authorizer lets nothing but the mailbox through.

It stops queries, not hostile code in the same process: that is the process's own ring.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_here = threading.local()


@contextmanager
def opening() -> Iterator[None]:
    """Marks this thread as opening the walled connection; the agents' audit hook lets only such a one pass."""
    _here.open = True
    try:
        yield
    finally:
        _here.open = False


def is_opening() -> bool:
    """Whether this thread is opening the walled connection right now."""
    return getattr(_here, "open", False)
