"""Hosted agents as a child process with JSON lines over its pipes: the embedded mode's second ring."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping

from collab.processes.backoff import Backoff
from messaging.mailbox import wake

log = logging.getLogger(__name__)
LONGEST_LINE = 1024
COMMAND = (sys.executable, "-m", "messaging.agents")


class AgentsChild:
    """Keeps one child running until it is told to stop, and talks with it."""

    def __init__(
        self,
        environ: Mapping[str, str],
        handle: Callable[[bytes], None],
        command: tuple[str, ...] = COMMAND,
        backoff: Backoff | None = None,
    ) -> None:
        self._environ = dict(environ)
        self._handle = handle
        self._command = command
        self._backoff = backoff or Backoff()
        self._stopping = threading.Event()
        self._child: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep, name="agents-child", daemon=True)

    @property
    def pid(self) -> int | None:
        """The number of the running child."""
        child = self._child
        return child.pid if child is not None and child.poll() is None else None

    def alive(self) -> bool:
        """Whether a child runs."""
        return self.pid is not None

    def start(self) -> None:
        """Start the child and keep it running."""
        self._thread.start()

    def deliver(self, line: wake.Line) -> None:
        """Write a line to the child; without one it is dropped, for a new child looks at all rows."""
        child = self._child
        if child is None or child.stdin is None:
            return
        try:
            child.stdin.write(wake.encode(line))
            child.stdin.flush()
        except (OSError, ValueError):
            log.info("The agents' process was gone when it should be woken")

    def stop(self, patience: float = 2.0) -> None:
        """End the child: its input closes, and if that is not enough it is killed."""
        self._stopping.set()
        child = self._child
        if child is not None:
            _close_input(child)
            try:
                child.wait(patience)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()
        if self._thread.is_alive():
            self._thread.join(patience)

    def _keep(self) -> None:
        while not self._stopping.is_set():
            self._live(self._spawn())
            if self._stopping.is_set():
                return
            pause = self._backoff.failed(time.monotonic())
            log.warning("The agents' process ended; starting it again in %.1f s", pause)
            self._stopping.wait(pause)

    def _spawn(self) -> subprocess.Popen[bytes]:
        child = subprocess.Popen(  # noqa: S603 — the command is our own
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=self._environ
        )
        self._child = child
        if self._stopping.is_set():
            # Told to stop between the question and the start.
            _close_input(child)
        return child

    def _live(self, child: subprocess.Popen[bytes]) -> None:
        if child.stdout is None:
            return
        with child.stdout:
            while raw := child.stdout.readline(LONGEST_LINE):
                self._handle(raw)
        child.wait()
        _close_input(child)


def _close_input(child: subprocess.Popen[bytes]) -> None:
    try:
        if child.stdin is not None:
            child.stdin.close()
    except OSError:
        return  # what was buffered found nobody; the descriptor is closed all the same
