"""The agents' process as the house starts it, on the test's own database and by the restricted role."""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import pytest
from django.conf import settings
from django.db import connection

from collab.processes.agents_environment import cleaned
from messaging.mailbox import wake
from messaging.mailbox.wake import Line


def restricted_url() -> str:
    """How the agents reach the test's database."""
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        return f"sqlite:///{name}"
    role = settings.DATABASES["agents"]
    return f"postgresql://{role['USER']}:{role['PASSWORD']}@{role['HOST']}:{role['PORT']}/{name}"


def until(condition: Callable[[], Any], patience: float = 15.0) -> Any:
    """What the condition gives once it is something; a test that waits in vain fails."""
    end = time.monotonic() + patience
    while not (found := condition()):
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)
    return found


class Agents:
    """A child with the two pipes."""

    def __init__(self, command: tuple[str, ...] = ("-m", "messaging.agents"), **environ: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=cleaned(os.environ, restricted_url()) | environ,
        )  # fmt: skip
        self.raw: list[bytes] = []
        self._lines: queue.Queue[Line | None] = queue.Queue()
        self._threads = [
            threading.Thread(target=self._read, daemon=True),
            threading.Thread(target=self._complain, daemon=True),
        ]
        self.complaints: list[bytes] = []
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        assert self.process.stdout
        for raw in self.process.stdout:
            self.raw.append(raw)
            self._lines.put(wake.decode(raw))

    def _complain(self) -> None:
        assert self.process.stderr
        self.complaints.extend(self.process.stderr)

    def wake(self, seat: UUID) -> None:
        assert self.process.stdin
        self.process.stdin.write(wake.encode(wake.Wake(seat)))
        self.process.stdin.flush()

    def hear(self, wanted: Line, patience: float = 15.0) -> None:
        """Waits for a line."""
        while self._lines.get(timeout=patience) != wanted:
            continue

    def close(self) -> float:
        """Closes the pipe as the house does; the seconds it took the child to end."""
        assert self.process.stdin
        began = time.monotonic()
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        self.process.wait(10)
        for thread in self._threads:
            thread.join()
        return time.monotonic() - began


@pytest.fixture
def agents() -> Iterator[Callable[..., Agents]]:
    """Starts children, and ends those that are left."""
    started: list[Agents] = []

    def start(*command: str, **environ: str) -> Agents:
        started.append(Agents(command or ("-m", "messaging.agents"), **environ))
        return started[-1]

    yield start
    for child in started:
        if child.process.poll() is None:
            child.process.kill()
        child.close()
