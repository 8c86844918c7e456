"""A socket as a test sees it, and the hub's one loop."""

from __future__ import annotations

import asyncio
import json

import pytest
from asgiref.sync import sync_to_async
from asgiref.testing import ApplicationCommunicator
from channels.routing import URLRouter

from collab.live import hub as hubs
from collab.live.routing import websocket_urlpatterns
from tests.cast import Room, token

application = URLRouter(websocket_urlpatterns)


class Client:
    """One open socket."""

    def __init__(self, path, headers=(), subprotocols=()):
        path, _, query = path.partition("?")
        scope = {"type": "websocket", "path": path, "query_string": query.encode(), "headers": list(headers),
                 "subprotocols": list(subprotocols)}  # fmt: skip
        self.wire = ApplicationCommunicator(application, scope)

    async def open(self):
        await self.wire.send_input({"type": "websocket.connect"})
        assert (await self.wire.receive_output(5))["type"] == "websocket.accept"
        return self

    async def next(self, timeout=5):
        message = await self.wire.receive_output(timeout)
        if message["type"] == "websocket.close":
            return {"type": "close", "code": message["code"]}
        return json.loads(message["text"])

    async def until(self, kind, timeout=5):
        """All frames up to the first of a kind."""
        frames = []
        while not frames or frames[-1]["type"] != kind:
            frames.append(await self.next(timeout))
        return frames

    async def quiet(self, seconds=0.3):
        return await self.wire.receive_nothing(timeout=seconds)

    async def send(self, **frame):
        await self.raw(json.dumps(frame))

    async def raw(self, text):
        await self.wire.send_input({"type": "websocket.receive", "text": text})

    async def close(self):
        await self.wire.send_input({"type": "websocket.disconnect", "code": 1000})
        await self.wire.wait()


@pytest.fixture
async def room(transactional_db):
    return await sync_to_async(Room.open)()


@pytest.fixture
async def connect(room):
    """Opens sockets on the demo session, and closes them afterwards."""
    opened = []

    async def make(handle, after=0, render="", session="welcome", **more):
        secret = await sync_to_async(token)(handle)
        headers = [(b"authorization", f"Bearer {secret}".encode())]
        path = f"/ws/sessions/{session}?after={after}" + (f"&render={render}" if render else "")
        client = await Client(path, headers, **more).open()
        opened.append(client)
        return client

    yield make
    for client in opened:
        await client.close()
    found = hubs._hubs.pop(id(asyncio.get_running_loop()), None)
    if found:
        found.close()


@pytest.fixture
def say(room):
    """Posts from within the loop."""

    async def run(*args, **more):
        return await sync_to_async(room.say)(*args, **more)

    return run
