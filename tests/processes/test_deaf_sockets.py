"""A reader that answers no ping is let go of, with what waits for it; one that answers stays."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest
import uvicorn
import websockets

from collab.processes import web
from tests.services.child import LOOPBACK

FRAME = "x" * 256 * 1024


class Sender:
    """Sends as much as is taken, and notes who has gone."""

    def __init__(self, pause: float) -> None:
        self.pause = pause
        self.gone = asyncio.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        sending = asyncio.create_task(self.send_all(send))
        while (await receive())["type"] != "websocket.disconnect":
            pass
        sending.cancel()
        self.gone.set()

    async def send_all(self, send: Any) -> None:
        while True:
            await send({"type": "websocket.send", "text": FRAME})
            await asyncio.sleep(self.pause)


async def serving(sender: Sender, listening: socket.socket) -> tuple[uvicorn.Server, asyncio.Task[None]]:
    config = uvicorn.Config(
        sender, ws=web.Sockets, lifespan="off", log_config=None, ws_ping_interval=0.3, ws_ping_timeout=0.3
    )
    server = uvicorn.Server(config)
    return server, asyncio.create_task(server._serve([listening]))


@pytest.fixture
def listening():
    made = socket.socket()
    made.bind((LOOPBACK, 0))
    made.listen()
    yield made
    made.close()


async def test_a_deaf_reader_is_gone_soon(listening):
    sender = Sender(pause=0)
    server, task = await serving(sender, listening)
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    deaf.connect(listening.getsockname())
    deaf.sendall(
        b"GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    await asyncio.wait_for(sender.gone.wait(), 10)
    deaf.close()
    server.should_exit = True
    await task


async def test_a_reader_that_answers_stays(listening):
    sender = Sender(pause=0.1)
    server, task = await serving(sender, listening)
    async with websockets.connect(f"ws://{LOOPBACK}:{listening.getsockname()[1]}") as reader:
        for _ in range(15):
            assert len(await asyncio.wait_for(reader.recv(), 5)) == len(FRAME)
        assert not sender.gone.is_set()
    await asyncio.wait_for(sender.gone.wait(), 10)
    server.should_exit = True
    await task
