"""A real MCP server for tests, as a program and over HTTP, and what a test wants of it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import psutil
from django.utils import timezone

from messaging.agents.sources import Opened, listing
from messaging.agents.tools.base import Failed, Result
from messaging.mailbox.models import Seat, Source
from tests.mailbox import cast
from tests.services.child import LOOPBACK, free_port

SERVER = Path(__file__).parents[1] / "services" / "tools_server.py"


def words(file: Path) -> list[str]:
    """What the server counted."""
    return file.read_text().split() if file.exists() else []


def running(file: Path) -> list[int]:
    """The processes of the server that counts in this file, its keeper among them."""
    found = [one for one in psutil.process_iter(["pid", "cmdline"]) if str(file) in (one.info["cmdline"] or [])]
    return [one.pid for one in found]


def gone(pids: list[int], patience: float = 5.0) -> bool:
    """Whether all of them end in time."""
    until = time.monotonic() + patience
    while any(psutil.pid_exists(pid) and psutil.Process(pid).status() != "zombie" for pid in pids):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


@contextmanager
def over_http(file: Path) -> Iterator[str]:
    """The address of a server in a process of its own."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, SERVER, str(file), str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        until = time.monotonic() + 20
        while True:
            try:
                socket.create_connection((LOOPBACK, port), timeout=1).close()
                break
            except OSError:
                assert time.monotonic() < until
                time.sleep(0.05)
        yield f"http://{LOOPBACK}:{port}/mcp"
    finally:
        process.kill()
        process.wait()


def source(transport: str, settings: dict[str, Any], name: str = "things", *, look: bool = True) -> Source:
    """A source that was registered, and looked at."""
    row = Source.objects.create(name=name, transport=transport, settings=settings, asked_at=timezone.now())
    if look:
        listing.keep(row, listing.find)
        row.refresh_from_db()
    return row


def program(file: Path, *, look: bool = True, name: str = "things", **settings: Any) -> Source:
    return source("stdio", {"command": [sys.executable, str(SERVER), str(file)], **settings}, name, look=look)


def seat(*names: str) -> Seat:
    made: Seat = cast.mirror()
    made.sources = list(names)
    made.save(update_fields=["sources"])
    return made


class Asking:
    """An attempt's sources, and calls of their tools by name."""

    def __init__(self, of: Seat, look: Any = None) -> None:
        self.seat, self.opened = of, Opened(of, look)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.opened.close()

    @property
    def names(self) -> list[str]:
        return [one.offer.name for one in self.opened.tools()]

    def tool(self, name: str) -> Any:
        return next(one for one in self.opened.tools() if one.offer.name == name)

    def call(self, name: str, **arguments: Any) -> str:
        given: Result = self.tool(f"things__{name}").run(self.seat, arguments)
        return given.text

    def fails(self, name: str, **arguments: Any) -> tuple[str, str]:
        try:
            given = self.call(name, **arguments)
        except Failed as error:
            return error.reason, str(error)
        raise AssertionError(given)

    def where(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.call("where"))
        return found
