"""A folder as a source: its text files, listed and read. There is no way out of it, and none to what is hidden."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Any

from django.db import connections

from messaging.agents.sources.given import plain
from messaging.agents.tools.base import Failed
from messaging.domain.source import KEPT_SECRET, Transport, fault

#: Names that one answer lists, and that are looked at for it; bytes of a file that one answer holds.
_LISTED, _LOOKED_AT, _READ = 200, 2_000, 7_500
_LONGEST_PATH, _DEEPEST = 1_000, 32
_PATH = {"type": "string", "description": "below the folder, with / between; empty for the folder itself"}
_OFFSET = {"type": "integer", "minimum": 0, "description": "the byte to begin at; 0 if left out"}
TOOLS: tuple[dict[str, Any], ...] = (
    {
        "name": "list",
        "description": "Lists the files and folders in a folder, with their sizes in bytes.",
        "schema": {"type": "object", "properties": {"path": _PATH}, "additionalProperties": False},
        "acts": False,
        "left_out": "",
    },
    {
        "name": "read",
        "description": "Reads a text file, some thousand bytes at a time.",
        "schema": {
            "type": "object",
            "properties": {"path": _PATH, "offset": _OFFSET},
            "required": ["path"],
            "additionalProperties": False,
        },
        "acts": False,
        "left_out": "",
    },
)


def find(settings: Mapping[str, Any]) -> tuple[list[dict[str, Any]], str]:
    """The two tools, or why there are none."""
    try:
        with _root(settings):
            return [dict(one) for one in TOOLS], ""
    except OSError:
        return [], "source_folder"


def run(source: str, settings: Mapping[str, Any], tool: str, arguments: Mapping[str, Any]) -> str:
    """What a tool gives. Raises Failed."""
    parts = _parts(arguments.get("path", ""))
    offset = arguments.get("offset", 0)
    if isinstance(offset, bool) or not isinstance(offset, int) or offset < 0:
        raise Failed("bad_arguments", "offset is a whole number from 0 on.")
    try:
        with _root(settings) as root:
            return _list(root, parts) if tool == "list" else _read(root, parts, offset)
    except OSError:
        # Not there, not readable, a link, hidden: which of them is nobody's business.
        raise Failed("no_such_file", f"There is no such file or folder in the source {source}.") from None


def _parts(path: object) -> list[str]:
    """Raises Failed for what is no path; what is hidden, or leads up, is not there."""
    if not isinstance(path, str) or len(path) > _LONGEST_PATH or "\0" in path:
        raise Failed("bad_arguments", f"path is a text of at most {_LONGEST_PATH} characters.")
    parts = [one for one in path.split("/") if one not in ("", ".")]
    if len(parts) > _DEEPEST or any(not _is_shown(one) for one in parts):
        raise Failed("no_such_file", "There is no such file or folder.")
    return parts


def _is_shown(name: str) -> bool:
    """Neither hidden, nor up, nor by its name somebody's key."""
    return not name.startswith(".") and not KEPT_SECRET.fullmatch(name)


@contextmanager
def _root(settings: Mapping[str, Any]) -> Iterator[int]:
    """The folder itself. Raises OSError."""
    if fault(Transport.FOLDER, settings) is not None:
        raise NotADirectoryError
    path = Path(settings["path"])
    for above in path.resolve().parents:
        # One that lies in Earshot's own is Earshot's.
        _not_our_own(above.stat())
    with _opened(str(path), os.O_DIRECTORY, None) as root:
        yield root


@contextmanager
def _within(root: int, parts: list[str], flags: int = 0) -> Iterator[int]:
    """What the path leads to, opened step by step, so that nothing on the way can be swapped. Raises OSError."""
    with ExitStack() as steps:
        here = root
        for n, part in enumerate(parts, 1):
            here = steps.enter_context(_opened(part, flags if n == len(parts) else os.O_DIRECTORY, here))
        yield here


@contextmanager
def _opened(name: str, flags: int, inside: int | None) -> Iterator[int]:
    """No link is followed, and a pipe holds nobody up. Raises OSError."""
    opened = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | flags, dir_fd=inside)
    try:
        found = os.fstat(opened)
        if stat.S_ISDIR(found.st_mode):
            _not_our_own(found)
            # What is mounted below is another place: in one of them processes tell their variables. Of a file the
            # device says nothing: in the layers of a container it may be another than its folder's.
            if inside is not None and found.st_dev != os.fstat(inside).st_dev:
                raise PermissionError
        yield opened
    finally:
        os.close(opened)


def _not_our_own(found: os.stat_result) -> None:
    """Raises PermissionError for the folder in which Earshot keeps its database, as far as that is known here."""
    for one in connections.all():
        if one.vendor != "sqlite":
            continue
        with suppress(FileNotFoundError):
            own = Path(one.settings_dict["NAME"]).absolute().parent.stat()
            if (own.st_dev, own.st_ino) == (found.st_dev, found.st_ino):
                raise PermissionError


def _list(root: int, parts: list[str]) -> str:
    with _within(root, parts, os.O_DIRECTORY) as here, os.scandir(here) as entries:
        looked_at = list(islice(entries, _LOOKED_AT + 1))
        lines = sorted(line for entry in looked_at[:_LOOKED_AT] if (line := _entry(entry)))
    more = len(lines) > _LISTED or len(looked_at) > _LOOKED_AT
    told = [*lines[:_LISTED], *(["(there is more)"] if more else [])]
    return plain("\n".join(told)) or "(nothing)"


def _entry(entry: os.DirEntry[str]) -> str:
    """A line about a file or a folder; empty for what is neither, links among them."""
    if not _is_shown(entry.name):
        return ""
    with suppress(OSError):
        if entry.is_dir(follow_symlinks=False):
            return f"{_one_line(entry.name)}/"
        if entry.is_file(follow_symlinks=False):
            return f"{_one_line(entry.name)} ({entry.stat(follow_symlinks=False).st_size} bytes)"
    return ""


def _one_line(name: str) -> str:
    return "".join(sign if sign.isprintable() else "?" for sign in name)


def _read(root: int, parts: list[str], offset: int) -> str:
    if not parts:
        raise IsADirectoryError
    with _within(root, parts) as here:
        size = os.fstat(here)
        if not stat.S_ISREG(size.st_mode):
            raise IsADirectoryError
        raw = os.pread(here, _READ, offset)
    if b"\0" in raw:
        raise Failed("no_text", "This file holds no text.")
    # A sign may be cut in two at either end, and nowhere else.
    text = raw.decode(errors="replace").strip("\N{REPLACEMENT CHARACTER}")
    if "\N{REPLACEMENT CHARACTER}" in text:
        raise Failed("no_text", "This file holds no text.")
    return f"(bytes {offset} to {offset + len(raw)} of {size.st_size})\n{text}"
