"""A program that a test started, and ends again whatever happens."""

from __future__ import annotations

import os
import pwd
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

LOOPBACK = "127.0.0.1"


def free_port() -> int:
    """Return a port that nobody listens on right now."""
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        return int(probe.getsockname()[1])


class Child:
    """A process that leads a session of its own, with its output in a file."""

    def __init__(
        self,
        command: Sequence[str | Path],
        log: Path,
        environ: Mapping[str, str] | None = None,
        user: str | None = None,
        folder: Path | None = None,
    ) -> None:
        self.log = log
        options: dict[str, Any] = {}
        if user:
            options = {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}
        with log.open("ab") as output:
            self.process = subprocess.Popen(
                [str(word) for word in command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=dict(os.environ if environ is None else environ),
                cwd=folder,
                start_new_session=True,
                **options,
            )

    @property
    def pid(self) -> int:
        return self.process.pid

    def output(self) -> str:
        return self.log.read_text(errors="replace")

    def running(self) -> bool:
        return self.process.poll() is None

    def wait_until(self, condition: Callable[[], bool], what: str, patience: float = 30.0) -> None:
        """Wait for something of this process; show its output when it does not come."""
        end = time.monotonic() + patience
        while not condition():
            if not self.running():
                raise RuntimeError(f"{what}: the process ended early\n{self.output()[-3000:]}")
            if time.monotonic() > end:
                raise TimeoutError(f"{what}: not within {patience} s\n{self.output()[-3000:]}")
            time.sleep(0.02)

    def stop(self, number: int = signal.SIGTERM, patience: float = 15.0) -> float:
        """End the process with all that it started; return how long it took to end by itself."""
        began = time.monotonic()
        if self.running():
            os.kill(self.pid, number)
            try:
                self.process.wait(patience)
            except subprocess.TimeoutExpired:
                self.kill()
        took = time.monotonic() - began
        self._kill_group()
        return took

    def kill(self) -> None:
        """End the whole session's processes with no chance to say anything."""
        self._kill_group()
        self.process.wait(10)

    def _kill_group(self) -> None:
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            return


def answers(port: int) -> bool:
    """Whether somebody listens on that port."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((LOOPBACK, port)) == 0
