"""The web server: one process that does everything, or several that share a port."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.supervisors import Multiprocess

from collab.environment import Environment
from collab.processes import begun, deadline

# A frame holds a text of 64 KiB, each sign of it perhaps escaped.
LONGEST_FRAME = 512 * 1024
BACKLOG = 2048
NO_LINGER = struct.pack("ii", 1, 0)


class Sockets(WebSocketsSansIOProtocol):
    """Lets go of a reader that answers no ping, with all that still waits for it: to flush that may take for ever."""

    def keepalive_timeout(self) -> None:
        """Close, and where the reader takes nothing, at once."""
        super().keepalive_timeout()
        if self.transport.get_write_buffer_size():
            # The system, too, drops what it holds for it, some 4 MB, rather than go on offering it.
            self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_LINGER)
            self.transport.abort()


class Server(uvicorn.Server):
    """Tells when it can be reached."""

    def __init__(self, config: uvicorn.Config, when_reachable: Callable[[], None]) -> None:
        super().__init__(config)
        self._when_reachable = when_reachable

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen."""
        await super().startup(sockets)
        self._when_reachable()


def configuration(environment: Environment) -> uvicorn.Config:
    """Return how this server answers. Neither its log nor its answers tell what was asked."""
    options: dict[str, Any] = {
        "lifespan": "on",
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "ws_max_size": LONGEST_FRAME,
        # A proxy's word for who asks counts only where a public address says that there is one.
        "proxy_headers": environment.public_url is not None,
        "timeout_graceful_shutdown": 2,
        # Longer than proxies keep theirs, or now and then one sends a request into a connection that just closed.
        "timeout_keep_alive": 75,
        # Our frames are small and many: compressing each costs more than it saves.
        "ws": Sockets,
        "ws_per_message_deflate": False,
    }
    return uvicorn.Config("collab.asgi:application", **options)


def bind(environment: Environment) -> socket.socket:
    """Take the port before any work is done, so that a taken one is told at once."""
    family = socket.AF_INET6 if ":" in environment.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((environment.host, environment.port))
        listening.listen(BACKLOG)
    except OSError:
        listening.close()
        raise
    listening.set_inheritable(True)
    return listening


def serve(environment: Environment, listening: socket.socket, when_reachable: Callable[[], None]) -> None:
    """Serve in this process until a signal ends it."""

    def reachable() -> None:
        if not environment.embedded:
            begun.tell("web", environment)
        when_reachable()

    server = Server(configuration(environment), reachable)
    try:
        server.run(sockets=[listening])
    except KeyboardInterrupt:
        deadline.leave()


def serve_many(environment: Environment, listening: socket.socket, number: int) -> None:
    """Serve in several processes that take turns at the port."""
    config = configuration(environment)
    config.workers = number
    begun.tell("web", environment, number)
    Multiprocess(config, sockets=[listening]).run()
