"""A process that another one started ends with it, even when that one was killed."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from multiprocessing.connection import wait

from collab import logs


def end_with_supervisor() -> None:
    """Have this process told to stop once the one that started it is gone."""
    supervisor = multiprocessing.parent_process()
    if supervisor is None:
        return
    # What the command set for itself does not come along into the processes that it starts.
    logs.hook()

    def watch() -> None:
        wait([supervisor.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="supervisor-watch", daemon=True).start()
