"""The metrics of a machine on which no web server runs, at a port of their own."""

from __future__ import annotations

import logging
import socket
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from collab.processes import exposition

log = logging.getLogger(__name__)
PATH = "/metrics"


class Answer(BaseHTTPRequestHandler):
    """Answers the one path, with what /metrics of a web server tells."""

    # Whoever connects and says nothing is not waited for.
    timeout = 5

    def do_GET(self) -> None:
        """The scrape."""
        if self.path != PATH:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        body = exposition.text()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", exposition.CONTENT_TYPE)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def version_string(self) -> str:
        """No server tells what it is made of."""
        return "earshot"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the library's own name
        """Who asks is not logged."""


class _Server(ThreadingHTTPServer):
    # Several workers of one machine take the same port: whichever answers tells of all of them.
    allow_reuse_port = True
    daemon_threads = True


class _Server6(_Server):
    address_family = socket.AF_INET6


def serve(host: str, port: int) -> None:
    """Answer from a thread of its own. Raises OSError where the port cannot be had."""
    server = (_Server6 if ":" in host else _Server)((host, port), Answer)
    threading.Thread(target=server.serve_forever, name="metrics-port", daemon=True).start()
