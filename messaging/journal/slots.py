"""Counters of several processes on one machine as one: each process counts into a file of a slot that it holds.

A slot is free again when its process has ended, however it did. The next process that takes it counts on from what
the file says, so no sum ever goes back and there are never more files than processes ran at one time.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from prometheus_client import values

#: What the library reads; it decides whether there are files at all.
VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
_held: list[int] = []


def share() -> None:
    """Has this process count into the folder that the environment names, if it does. Before any counter is made."""
    folder = os.environ.get(VARIABLE)
    if folder:
        slot = take(Path(folder))
        values.ValueClass = values.MultiProcessValue(lambda: slot)  # type: ignore[no-untyped-call]


def take(folder: Path) -> int:
    """Hold the lowest slot that nobody holds, until this process ends."""
    folder.mkdir(parents=True, exist_ok=True)
    for slot in count():
        lock = _locked(folder, slot)
        if lock is not None:
            _forget_gauges(folder, slot)
            # Never closed: the lock tells the others that this process lives.
            _held.append(lock)
            return slot
    raise AssertionError


def tidy(folder: Path) -> None:
    """Take away what dead processes said of their present, such as open sockets; what they counted stays."""
    for path in folder.glob("slot-*"):
        slot = int(path.name.removeprefix("slot-"))
        with _trying(folder, slot) as free:
            if free:
                _forget_gauges(folder, slot)


@contextmanager
def _trying(folder: Path, slot: int) -> Iterator[bool]:
    lock = _locked(folder, slot)
    try:
        yield lock is not None
    finally:
        if lock is not None:
            os.close(lock)


def _locked(folder: Path, slot: int) -> int | None:
    """The slot's lock, or None where a living process has it. Not inherited by programs that this one starts."""
    lock = os.open(folder / f"slot-{slot}", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return None
    return lock


def _forget_gauges(folder: Path, slot: int) -> None:
    for path in folder.glob(f"gauge_live*_{slot}.db"):
        path.unlink(missing_ok=True)
