"""A stop that comes in time even when something hangs."""

from __future__ import annotations

import logging
import os
import threading

SECONDS = 4.5
# What is left of them when a web server has given open requests their time.
AFTER_REQUESTS = 2.4


def arm(seconds: float = SECONDS) -> None:
    """End this process after that time, whatever it does then: what is committed is safe."""
    timer = threading.Timer(seconds, _end)
    timer.daemon = True
    timer.start()


def _end() -> None:
    logging.getLogger(__name__).warning("Something did not stop in time; ending all the same")
    leave()


def leave() -> None:
    """End at once: no thread that hangs in a task can hold the process back."""
    logging.shutdown()
    os._exit(0)
