"""Websocket broadcast in memory: what one server process can fan out."""

import asyncio
import os

peers = set()


async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            m = await receive()
            await send({"type": m["type"] + ".complete"})
            if m["type"] == "lifespan.shutdown":
                return
    if scope["type"] != "websocket":
        return
    await receive()
    await send({"type": "websocket.accept"})
    peers.add(send)
    try:
        while True:
            m = await receive()
            if m["type"] != "websocket.receive":
                return
            out = {"type": "websocket.send", "text": m.get("text") or m["bytes"].decode()}
            for s in list(peers):
                await s(out)
    finally:
        peers.discard(send)


if os.environ.get("ECHO") == "starlette":
    from starlette.applications import Starlette
    from starlette.routing import WebSocketRoute

    socks = set()

    async def endpoint(ws):
        await ws.accept()
        socks.add(ws)
        try:
            while True:
                text = await ws.receive_text()
                await asyncio.gather(*(s.send_text(text) for s in list(socks)))
        except Exception:
            pass
        finally:
            socks.discard(ws)

    app = Starlette(routes=[WebSocketRoute("/ws", endpoint)])
