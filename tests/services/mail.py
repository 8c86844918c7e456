"""A mail server that keeps what it is given, or refuses as it is told."""

from __future__ import annotations

import socketserver
import threading
from typing import Self

from tests.services.child import LOOPBACK


class _Conversation(socketserver.StreamRequestHandler):
    server: _Server

    def handle(self) -> None:
        self.say(b"220 test")
        while line := self.rfile.readline().strip():
            word = line.split()[0].upper().decode()
            self.server.heard.append(line.decode())
            if word in self.server.refusing:
                self.say(b"550 no: " + line)
            elif word == "EHLO":
                self.say(b"250-test\r\n250 AUTH PLAIN LOGIN")
            elif word == "AUTH":
                self.say(b"235 welcome")
            elif word == "DATA":
                self.take()
            else:
                self.say(b"250 ok")
            if word == "QUIT":
                return

    def take(self) -> None:
        self.say(b"354 go on")
        lines = []
        while (line := self.rfile.readline().rstrip(b"\r\n")) != b".":
            lines.append(line.decode())
        self.server.mails.append("\n".join(lines))
        self.say(b"250 kept")

    def say(self, words: bytes) -> None:
        self.wfile.write(words + b"\r\n")


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, refusing: frozenset[str]) -> None:
        super().__init__((LOOPBACK, 0), _Conversation)
        self.refusing = refusing
        self.mails: list[str] = []
        self.heard: list[str] = []


class MailServer:
    """`with MailServer() as server`: `server.port`, `server.mails`, `server.heard`; refuses the commands it is given."""

    def __init__(self, *refusing: str) -> None:
        self._server = _Server(frozenset(refusing))
        self.port: int = self._server.server_address[1]
        self.mails, self.heard = self._server.mails, self._server.heard

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self._server.shutdown()
        self._server.server_close()
