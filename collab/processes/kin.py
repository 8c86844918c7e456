"""Processes that another one started, or that say who they are, by what the system tells of all of them."""

from __future__ import annotations

import subprocess
from collections.abc import Collection, Iterator
from pathlib import Path

PROC = Path("/proc")


def children(parent: int, word: str) -> list[int]:
    """Return the numbers of a process's children that have this word in their command line."""
    return [pid for pid, above, command in _listed() if above == parent and word in command]


def among(pids: Collection[int], words: str) -> list[int]:
    """Return those of these numbers whose processes run here and have these words in their command line."""
    return [pid for pid, _, command in _listed() if pid in pids and words in command]


def _listed() -> Iterator[tuple[int, int, str]]:
    return _from_proc() if PROC.joinpath("self/stat").exists() else _from_ps()


def _from_proc() -> Iterator[tuple[int, int, str]]:
    for folder in PROC.iterdir():
        if not folder.name.isdigit():
            continue
        try:
            # The name stands in parentheses and may hold any sign, so what follows the last one counts.
            above = int(folder.joinpath("stat").read_text().rpartition(")")[2].split()[1])
            command = folder.joinpath("cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue  # it has ended meanwhile
        yield int(folder.name), above, command


def _from_ps() -> Iterator[tuple[int, int, str]]:
    words = ("ps", "-A", "-ww", "-o", "pid=,ppid=,command=")
    listed = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 -- the words are our own
    for line in listed.stdout.splitlines():
        pid, above, command = line.split(maxsplit=2)
        yield int(pid), int(above), command
