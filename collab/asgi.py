"""The way in for everything that comes over the network."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from typing import Any

from django.conf import settings
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "collab.settings.house")
# Django has to be set up before anything that holds models is imported.
django_pages: Any = get_asgi_application()

from channels.routing import URLRouter  # noqa: E402

from collab.api.lean import LeanPosts  # noqa: E402
from collab.live.routing import websocket_urlpatterns  # noqa: E402
from collab.processes import deadline, parts, prepare, supervised  # noqa: E402
from collab.security import BoundedBodies, Receive, Send  # noqa: E402
from collab.static_files import StaticFiles  # noqa: E402

#: Twice what Django itself takes of a form or a JSON body; files will come by a path of their own.
pages = LeanPosts(BoundedBodies(django_pages, 2 * settings.DATA_UPLOAD_MAX_MEMORY_SIZE))
sockets: Any = URLRouter(websocket_urlpatterns)
static = StaticFiles()


async def application(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Pass a request, a socket or the server's own start and stop to whoever handles it."""
    match scope["type"]:
        case "http" if static.serves(scope):
            await static(scope, send)
        case "http":
            await pages(scope, receive, send)
        case "websocket":
            await sockets(scope, receive, send)
        case "lifespan":
            await lifespan(receive, send)


def settle() -> None:
    """Suit the interpreter to a loop and a writer who hand each other small work many times a second."""
    # Whoever waits for the interpreter gets it soon: the writer waits for it after each of the database's answers.
    sys.setswitchinterval(0.005)
    # What has been loaded stays; looking through it again and again would stop everything for tens of milliseconds.
    gc.collect()
    gc.freeze()


async def lifespan(receive: Receive, send: Send) -> None:
    """Start the other parts of this process with the server, and stop them with it."""
    await receive()
    supervised.end_with_supervisor()
    running = await asyncio.to_thread(parts.for_web)
    settle()
    await send({"type": "lifespan.startup.complete"})
    await receive()
    deadline.arm(deadline.AFTER_REQUESTS)
    await asyncio.to_thread(running.stop)
    await asyncio.to_thread(prepare.whole_file)
    await send({"type": "lifespan.shutdown.complete"})
