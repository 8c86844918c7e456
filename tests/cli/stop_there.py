"""`earshot move`, and at a moment of it something happens: MOMENT names when, WHAT what, SERVER the database's process."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psutil

from collab.cli import main as cli
from collab.cli import move, move_rows
from collab.processes import patience

WHOLE = move_rows._untriggered


def happen() -> None:
    """The server stops, or somebody interrupts."""
    if os.environ["WHAT"] == "interrupted":
        os.kill(os.getpid(), signal.SIGINT)
        return
    server = psutil.Process(int(os.environ["SERVER"]))
    for process in (server, *server.children(recursive=True)):
        process.suspend()


@contextmanager
def copied() -> Iterator[None]:
    """Copies as ever, and then it happens."""
    with WHOLE():
        yield
    happen()


def before(real: Callable[..., Any]) -> Callable[..., Any]:
    def run(*words: Any) -> Any:
        happen()
        return real(*words)

    return run


def after(real: Callable[..., Any]) -> Callable[..., Any]:
    def run(*words: Any) -> Any:
        answer = real(*words)
        happen()
        return answer

    return run


match os.environ["MOMENT"]:
    case "copied":
        move_rows._untriggered = copied
    case "committing":
        setattr(move_rows.Stand, "committing", after(move_rows.Stand.committing))  # noqa: B010 -- a method
    case "committed":
        setattr(move_rows.Stand, "committed", after(move_rows.Stand.committed))  # noqa: B010
    case "finishing":
        move._finish = before(move._finish)
# The patience of somebody in a hurry.
patience.WITHIN = 2.0
patience.watched.__defaults__ = (0.5,)
sys.exit(cli.main(sys.argv[1:]))
