"""The agents as a child of the house: JSON lines on standard input and output, until the input closes."""

from __future__ import annotations

import os
import signal
import sys
import threading
from typing import BinaryIO

LONGEST_LINE = 4096


def main() -> None:
    """Runs until the house closes the pipe. A terminal's signals are not for it: the house stops it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    lines, answers = _pipes()

    import django

    django.setup()
    from messaging.agents.service import Service
    from messaging.mailbox import lease, wake

    wake.install(_Answers(answers).send)
    if os.environ.get("EARSHOT_AGENTS_ALONE") == "1":
        lease.expire_all()
    service = Service()
    service.start()
    while raw := lines.readline(LONGEST_LINE):
        line = wake.decode(raw)
        if isinstance(line, wake.Wake):
            service.submit(line.seat)
    service.stop()
    # A thread that hangs in a model's silence must not hold up the house's stop.
    os._exit(0)


def _pipes() -> tuple[BinaryIO, BinaryIO]:
    """The two pipes to the house, out of everybody else's reach: a stray print ends on standard error."""
    lines, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return lines, answers


class _Answers:
    """Writes whole lines, one thread at a time."""

    def __init__(self, pipe: BinaryIO) -> None:
        self._pipe = pipe
        self._lock = threading.Lock()

    def send(self, line: object) -> None:
        """A `wake.Transport`. A house that is gone ends this process by closing its input."""
        from messaging.mailbox import wake

        try:
            with self._lock:
                self._pipe.write(wake.encode(line))  # type: ignore[arg-type]
        except OSError:
            return


if __name__ == "__main__":
    main()
