"""Starts a source's program and leaves nothing of it behind. A program of its own: `keeper.py DESCRIPTOR PROGRAM ...`.

It ends the program, and all that the program started, once the program ends or the descriptor is closed at its other
end. That end is with the agents' process alone, so a kill of that process ends everything, too. It needs the standard
library alone (`python -I -S`).
"""

from __future__ import annotations

import ctypes
import os
import select
import shutil
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

#: What shells answer where there is no such program.
NO_PROGRAM = 127
#: Seconds that a program has to end by itself once it was asked to, and that are spent on what will not die.
_GRACE, _PATIENCE = 0.5, 3.0
_SUBREAPER = 36


def main(words: list[str]) -> int:
    """Runs until the program or the line ends; the answer is the program's own, as shells give it."""
    line, command = int(words[1]), words[2:]
    _adopt()
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    os.set_inheritable(line, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    folder = tempfile.mkdtemp(prefix="source-")
    try:
        child = _start(command, folder)
        code = _wait(child, line, woken)
        _end(child)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return code


def _adopt() -> None:
    """Has whatever loses its parent become this process's own child, where the system can (Linux)."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)


def _start(command: list[str], folder: str) -> int:
    child = os.fork()
    if child:
        # The pipes are the program's alone, so that their ends mean what they seem to.
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.dup2(nothing, 1)
        return child
    try:
        os.setsid()
        os.chdir(folder)
        os.execvpe(command[0], command, os.environ | {"TMPDIR": folder})  # noqa: S606 -- what staff registered
    finally:
        os._exit(NO_PROGRAM)


def _wait(child: int, line: int, woken: int) -> int:
    """Until the program has ended, or the line has."""
    while True:
        ready, _, _ = select.select([line, woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
            code = _reap(child)
            if code is not None:
                return code
        if line in ready:
            return 0


def _reap(child: int) -> int | None:
    """Takes leave of all that have ended; the answer is the program's, if it is among them."""
    found = None
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            if ended[0] == child:
                found = os.waitstatus_to_exitcode(ended[1])
                found = found if found >= 0 else 128 - found
    return found


def _end(child: int) -> None:
    """Asks everything to end, and kills what does not."""
    _tell(child, signal.SIGTERM)
    until = time.monotonic() + _GRACE
    while _left() and time.monotonic() < until:
        time.sleep(0.01)
    until = time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        _tell(child, signal.SIGKILL)
        if not _left():
            return
        time.sleep(0.01)


def _tell(child: int, what: signal.Signals) -> None:
    """To the program's group, and to those that left it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(child, what)
    for pid in _descendants():
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, what)


def _left() -> bool:
    """Whether any child is there still, adopted ones too."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            continue
    except ChildProcessError:
        return False
    return True


def _descendants() -> list[int]:
    """All that this process started, directly or not. None where the system does not tell."""
    above: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            above[int(folder.name)] = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    known = {os.getpid()}
    while new := {pid for pid, parent in above.items() if parent in known} - known:
        known |= new
    return sorted(known - {os.getpid()})


if __name__ == "__main__":
    sys.exit(main(sys.argv))
