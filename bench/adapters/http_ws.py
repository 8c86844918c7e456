"""A server with `POST message` over HTTP and a websocket subscription.

Options (all templates may use {room}, {token}, {user}):
  url        base address of a running server              (required)
  pid        root process ids to charge, joined by '+'
  tokens     file with one bearer token per line, one per user
  rooms      file with one room id per line; each is used once
  post       path of the POST        (/api/rooms/{room}/messages)
  field      JSON field of the text  (body)
  ws         path of the websocket   (/ws?room={room}&token={token})
  hello      first text frame the client sends, if any
  ready      text that the server sends once subscribed, if any
  page       path of the newest page (/api/rooms/{room}/messages?limit={limit})
  list       JSON field that holds the page's list (messages)

A product adapter subclasses this and overrides users() and room() to create
them over the product's own API, and start()/stop() to launch it.
"""

from __future__ import annotations

import asyncio

from lean import Http, WebSocket, dumps, loads

from adapters import base


class _Sender(base.Sender):
    def __init__(self, http, path, field):
        self.http, self.path, self.field = http, path, field

    async def send(self, text):
        status, body = await self.http.request("POST", self.path, dumps({self.field: text}))
        if status >= 300:
            raise RuntimeError(f"HTTP {status} {body[:100]!r}")

    async def close(self):
        self.http.close()


class _Receiver(base.Receiver):
    def __init__(self, ws):
        self.ws = ws

    async def close(self):
        self.ws.close()


class Adapter(base.Base):
    accept = "HTTP 2xx"
    durable = "as the server says"
    defaults = {
        "post": "/api/rooms/{room}/messages",
        "field": "body",
        "ws": "/ws?room={room}&token={token}",
        "hello": "",
        "ready": "",
        "page": "/api/rooms/{room}/messages?limit={limit}",
        "list": "messages",
    }

    def opt(self, key):
        return self.opts.get(key, self.defaults.get(key, ""))

    @property
    def url(self):
        return self.opts["url"].rstrip("/")

    def pids(self):
        return [int(p) for p in self.opts.get("pid", "").split("+") if p]

    async def users(self, n):
        with open(self.opts["tokens"]) as f:
            tokens = f.read().split()
        if len(tokens) < n:
            raise RuntimeError(f"{n} tokens are needed, {len(tokens)} given")
        return [base.User(f"u{i}", t) for i, t in enumerate(tokens[:n])]

    async def room(self, title, members):
        if not hasattr(self, "_rooms"):
            with open(self.opts["rooms"]) as f:
                self._rooms = iter(f.read().split())
        return base.Room(next(self._rooms))

    def fill(self, template, user, room, **more):
        return template.format(room=room.id, token=user.token, user=user.name, **more)

    def headers(self, user):
        return {"Authorization": f"Bearer {user.token}"}

    async def sender(self, user, room):
        return _Sender(Http(self.url, self.headers(user)), self.fill(self.opt("post"), user, room), self.opt("field"))

    async def receiver(self, user, room, cb):
        ready = asyncio.get_running_loop().create_future()
        mark = self.opt("ready").encode()

        def on_text(data):
            if mark and not ready.done() and mark in data:
                ready.set_result(None)
                return
            cb(data)

        ws = WebSocket(
            self.url.replace("http", "ws", 1) + self.fill(self.opt("ws"), user, room), on_text, self.headers(user)
        )
        await ws.connect()
        if self.opt("hello"):
            ws.send(self.fill(self.opt("hello"), user, room).encode())
        if mark:
            await asyncio.wait_for(ready, 30)
        return _Receiver(ws)

    async def last_page(self, user, room, limit):
        http = user.extra if isinstance(user.extra, Http) else Http(self.url, self.headers(user))
        user.extra = http
        status, body = await http.request("GET", self.fill(self.opt("page"), user, room, limit=limit))
        if status != 200:
            raise RuntimeError(f"HTTP {status} {body[:100]!r}")
        return len(loads(body)[self.opt("list")])
