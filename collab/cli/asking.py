"""Questions on the terminal. Where nobody is there to answer, an option has to say it."""

from __future__ import annotations

import sys
from collections.abc import Callable

from collab.cli.main import Misused, Refused


def ask(words: str, option: str, *, default: str | None = None) -> str:
    """Return what a person types; the default for an empty line. Raises Misused where nobody can be asked."""
    _somebody(option)
    while True:
        typed = _typed(f"{words} [{default or 'none'}]: " if default is not None else f"{words}: ")
        if typed or default is not None:
            return typed or default or ""


def agreed(words: str) -> None:
    """Ask for a yes. Raises Refused for anything else, Misused where nobody can be asked."""
    _somebody("--yes")
    if _typed(f"{words} [y/N] ").lower() not in ("y", "yes"):
        raise Refused("nothing was changed")


def until(ready: Callable[[], bool], seconds: float, *, every: float = 0.05) -> bool:
    """Look again and again until it is so or the time is over; return whether it is so."""
    import time

    end = time.monotonic() + seconds
    while not (so := ready()) and time.monotonic() < end:
        time.sleep(every)
    return so


def say(line: str = "") -> None:
    """Print a line at once: whoever waits for it may be at the other end of a pipe."""
    print(line, flush=True)  # noqa: T201 -- a command speaks on its output


def _somebody(option: str) -> None:
    if not sys.stdin.isatty():
        raise Misused(f"{option} is missing, and there is no terminal to ask at")


def _typed(prompt: str) -> str:
    try:
        return input(prompt).strip()
    except (EOFError, KeyboardInterrupt):
        raise Refused("nothing was changed") from None
