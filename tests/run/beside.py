"""Stages that run while another one mostly waits; what each of them says is told in one piece."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from threading import Thread
from typing import Self

from tests.run.stages import ROOT, Stage

#: Stage, how it ended, and how many seconds it took.
End = tuple[Stage, str, float]
SUMMARY = "\n=== summary"
PROGRAM = (sys.executable, "-m", "tests.run")


class Beside:
    """One after the other, each in a process of its own, for as long as a `with` lasts, which waits for the last."""

    def __init__(self, stages: Sequence[Stage], program: Sequence[str] = PROGRAM) -> None:
        self.ends: list[End] = []
        self._stages, self._program = stages, program
        self._said: list[str] = []
        self._running: subprocess.Popen[str] | None = None
        self._given_up = False
        self._lane = Thread(target=self._run)

    def __enter__(self) -> Self:
        self._lane.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._given_up = True
            if self._running is not None:
                # It ends its own processes and servers when it is interrupted.
                self._running.send_signal(signal.SIGINT)
        self._lane.join()
        for said in self._said:
            print(said, flush=True)

    def _run(self) -> None:
        for stage in self._stages:
            if self._given_up:
                return
            began = time.monotonic()
            self._running = running = subprocess.Popen(
                [*self._program, stage.name],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            said, _ = running.communicate()
            self._said.append(said.partition(SUMMARY)[0].rstrip())
            end = "failed" if running.returncode else "passed"
            self.ends.append((stage, end, time.monotonic() - began))
