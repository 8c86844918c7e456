"""What the local model server can do with a request: answer well, badly, late, or not at all."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from tests.models.wires import Wire


class Line(Protocol):
    """The open connection, as the server's handler offers it."""

    def open(self, status: int = 200, kind: str = "text/event-stream", **headers: str) -> None: ...
    def send(self, data: bytes) -> None: ...
    def close(self) -> None: ...
    def cut(self) -> None: ...


class Play(Protocol):
    """One way to treat a request."""

    def run(self, line: Line, wire: Wire, /) -> None: ...


@dataclass(frozen=True)
class Say:
    """Streams an answer; `first` and `pause` are seconds."""

    pieces: tuple[str, ...] = ("Hello ", "from the ", "local model.")
    pause: float = 0.0
    first: float = 0.0

    def run(self, line: Line, wire: Wire) -> None:
        time.sleep(self.first)
        line.open()
        line.send(wire.start())
        for piece in self.pieces:
            line.send(wire.piece(piece))
            time.sleep(self.pause)
        line.send(wire.end())
        line.close()


@dataclass(frozen=True)
class Calls:
    """Says some words and calls tools, each by name with its arguments as the model wrote them."""

    calls: tuple[tuple[str, str], ...]
    pieces: tuple[str, ...] = ()

    def run(self, line: Line, wire: Wire) -> None:
        line.open()
        line.send(wire.start())
        for piece in self.pieces:
            line.send(wire.piece(piece))
        for n, (name, arguments) in enumerate(self.calls):
            line.send(wire.call(n, f"call_{n}", name, arguments))
        line.send(wire.end(called=True))
        line.close()


@dataclass(frozen=True)
class Follows:
    """Does what a function makes of the request's body."""

    decide: Callable[[Any], Play]

    def run(self, line: Line, wire: Wire) -> None:
        raise TypeError("the server asks what it follows first")


@dataclass(frozen=True)
class Status:
    """Refuses with a status; `words` may quote the key, as some originals do."""

    status: int
    words: str = "no"
    headers: Mapping[str, str] = field(default_factory=dict)

    def run(self, line: Line, wire: Wire) -> None:
        line.open(self.status, "application/json", **self.headers)
        line.send(wire.status_body(self.status, self.words))
        line.close()


@dataclass(frozen=True)
class Cut:
    """Begins an answer and breaks off. `clean`: the response ends well, the answer in it does not."""

    pieces: tuple[str, ...] = ("Half of an ans",)
    clean: bool = False

    def run(self, line: Line, wire: Wire) -> None:
        line.open()
        line.send(wire.start())
        for piece in self.pieces:
            line.send(wire.piece(piece))
        (line.close if self.clean else line.cut)()


@dataclass(frozen=True)
class Fault:
    """Begins an answer and reports an error inside the stream."""

    kind: str

    def run(self, line: Line, wire: Wire) -> None:
        line.open()
        line.send(wire.start() + wire.piece("Half") + wire.fault(self.kind))
        line.close()


@dataclass(frozen=True)
class Raw:
    """Sends these bytes as they are."""

    body: bytes
    kind: str = "text/event-stream"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    def run(self, line: Line, _wire: Wire) -> None:
        line.open(self.status, self.kind, **self.headers)
        line.send(self.body)
        line.close()


@dataclass(frozen=True)
class WrongOrder:
    """The right events in the wrong order."""

    def run(self, line: Line, wire: Wire) -> None:
        line.open()
        line.send(wire.end() + wire.piece("late") + wire.start())
        line.close()


@dataclass(frozen=True)
class Silence:
    """Says nothing for so long, with or without having begun."""

    seconds: float
    begun: bool = False

    def run(self, line: Line, wire: Wire) -> None:
        if self.begun:
            line.open()
            line.send(wire.start())
        time.sleep(self.seconds)
        line.cut()
