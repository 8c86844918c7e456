"""A model server on this machine that speaks like the originals, well and badly.

    with ModelServer(Status(429, headers={"retry-after": "1"}), Say()) as server:
        ...  # server.openai_url, server.anthropic_url, server.requests

Each request takes the next play; the last one stays. Alone: `python -m tests.models.server 9000`.
"""

from __future__ import annotations

import contextlib
import json
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from tests.models.plays import Follows, Play, Say
from tests.models.wires import Anthropic, OpenAI, Wire

WIRES: dict[str, Callable[[], Wire]] = {"/v1/chat/completions": OpenAI, "/v1/messages": Anthropic}


@dataclass(frozen=True)
class Recorded:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: Any

    @property
    def text(self) -> str:
        """All of the body, for looking for canaries."""
        return json.dumps(self.body, ensure_ascii=False)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length", 0))) or b"null")
        path = self.path.partition("?")[0]
        play = self.server.take(Recorded(path, {k.lower(): v for k, v in self.headers.items()}, body))
        wire = WIRES.get(path)
        if wire is None:
            self.send_error(404)
            return
        # A client may hang up at any time; that is its right.
        with contextlib.suppress(OSError):
            play.run(self, wire())
        self.close_connection = True

    def open(self, status: int = 200, kind: str = "text/event-stream", **headers: str) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Type": kind,
            "Transfer-Encoding": "chunked",
            "Connection": "close",
            **headers,
        }.items():
            self.send_header(name, value)
        self.end_headers()

    def send(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def close(self) -> None:
        self.wfile.write(b"0\r\n\r\n")

    def cut(self) -> None:
        self.wfile.flush()
        self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, *args: Any) -> None:
        """Nothing: requests are recorded, not printed."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, plays: tuple[Play, ...]) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.plays = list(plays) or [Say()]
        self.requests: list[Recorded] = []
        self._lock = threading.Lock()

    def take(self, request: Recorded) -> Play:
        with self._lock:
            self.requests.append(request)
            play = self.plays.pop(0) if len(self.plays) > 1 else self.plays[0]
        return play.decide(request.body) if isinstance(play, Follows) else play

    def handle_error(self, *args: Any) -> None:
        """Nothing: a client that hangs up is no error."""


class ModelServer:
    """The server in a thread, on a free port unless one is named."""

    def __init__(self, *plays: Play, port: int = 0) -> None:
        self._server = _Server(port, plays)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def then(self, *plays: Play) -> None:
        """Replaces what comes next."""
        self._server.plays = list(plays)

    @property
    def requests(self) -> list[Recorded]:
        """What came, in order."""
        return self._server.requests

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def openai_url(self) -> str:
        """For `base_url` of an OpenAI-compatible provider."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def anthropic_url(self) -> str:
        """For `base_url` of Anthropic's client, which adds the version itself."""
        return f"http://127.0.0.1:{self.port}"


if __name__ == "__main__":
    with ModelServer(port=int(sys.argv[1])) as running:
        running._thread.join()
