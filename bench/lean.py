"""Small, cheap network clients for the bench driver.

The driver shares the machine's cores with the server it measures, so the
general-purpose clients cost too much here.  Each class does only what a bench
needs: HTTP/1.1 with keep-alive, a websocket client, both over asyncio
protocols.  Plain text only (no TLS): the bench talks to a loopback address.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
from urllib.parse import urlsplit

try:  # optional, faster
    import orjson

    def loads(data):
        return orjson.loads(data)

    def dumps(obj) -> bytes:
        return orjson.dumps(obj)
except ImportError:  # pragma: no cover

    def loads(data):
        return json.loads(data)

    def dumps(obj) -> bytes:
        return json.dumps(obj, separators=(",", ":")).encode()


class HttpError(Exception):
    def __init__(self, status: int, body: bytes):
        super().__init__(f"HTTP {status}: {body[:300]!r}")
        self.status, self.body = status, body


class _HttpProtocol(asyncio.Protocol):
    def __init__(self):
        self.buf = bytearray()
        self.waiter: asyncio.Future | None = None
        self.transport = None
        self.closed = False
        self._reset()

    def _reset(self):
        self.status = 0
        self.head_end = -1
        self.length = 0
        self.chunked = False
        self.close_after = False

    def connection_made(self, transport):
        self.transport = transport

    def connection_lost(self, exc):
        self.closed = True
        if self.waiter and not self.waiter.done():
            self.waiter.set_exception(ConnectionError("closed by the server"))

    def data_received(self, data):
        self.buf += data
        if self.head_end < 0:
            end = self.buf.find(b"\r\n\r\n")
            if end < 0:
                return
            self.head_end = end + 4
            head = bytes(self.buf[:end])
            self.status = int(head[9:12])
            for line in head.split(b"\r\n")[1:]:
                key, _, value = line.partition(b":")
                key = key.lower()
                if key == b"content-length":
                    self.length = int(value)
                elif key == b"transfer-encoding":
                    self.chunked = b"chunked" in value.lower()
                elif key == b"connection":
                    self.close_after = value.strip().lower() == b"close"
        if self.chunked:
            body = self._chunks()
            if body is None:
                return
        else:
            if len(self.buf) < self.head_end + self.length:
                return
            body = bytes(self.buf[self.head_end : self.head_end + self.length])
        status, close = self.status, self.close_after
        self.buf.clear()
        self._reset()
        if close:
            self.closed = True
            self.transport.close()
        if self.waiter and not self.waiter.done():
            self.waiter.set_result((status, body))

    def _chunks(self):
        pos, out = self.head_end, []
        while True:
            eol = self.buf.find(b"\r\n", pos)
            if eol < 0:
                return None
            size = int(bytes(self.buf[pos:eol]).split(b";")[0], 16)
            start = eol + 2
            if len(self.buf) < start + size + 2:
                return None
            if size == 0:
                return b"".join(out)
            out.append(bytes(self.buf[start : start + size]))
            pos = start + size + 2


class Http:
    """One keep-alive connection; one request at a time."""

    def __init__(self, base: str, headers: dict | None = None):
        u = urlsplit(base)
        self.host, self.port = u.hostname, u.port or 80
        self.prefix = u.path.rstrip("/")
        extra = "".join(f"{k}: {v}\r\n" for k, v in (headers or {}).items())
        self.common = (f"Host: {self.host}:{self.port}\r\n{extra}").encode()
        self.proto: _HttpProtocol | None = None

    async def _ensure(self):
        if self.proto is None or self.proto.closed:
            loop = asyncio.get_running_loop()
            _, self.proto = await loop.create_connection(_HttpProtocol, self.host, self.port)

    async def request(self, method: str, path: str, body: bytes | None = None, ctype: str = "application/json"):
        await self._ensure()
        head = f"{method} {self.prefix}{path} HTTP/1.1\r\n".encode() + self.common
        if body is not None:
            head += (f"Content-Type: {ctype}\r\nContent-Length: {len(body)}\r\n\r\n").encode() + body
        else:
            head += b"\r\n"
        p = self.proto
        p.waiter = asyncio.get_running_loop().create_future()
        p.transport.write(head)
        return await p.waiter

    async def json(self, method: str, path: str, obj=None, ok=(200, 201, 202)):
        status, body = await self.request(method, path, None if obj is None else dumps(obj))
        if status not in ok:
            raise HttpError(status, body)
        return loads(body) if body else None

    def close(self):
        if self.proto and self.proto.transport:
            self.proto.transport.close()
        self.proto = None


class _WsProtocol(asyncio.Protocol):
    def __init__(self, on_text):
        self.on_text = on_text
        self.buf = bytearray()
        self.open = False
        self.closed = False
        self.frag = None
        self.transport = None
        self.ready = asyncio.get_running_loop().create_future()
        self.gone = asyncio.get_running_loop().create_future()

    def connection_made(self, transport):
        self.transport = transport

    def connection_lost(self, exc):
        self.closed = True
        if not self.ready.done():
            self.ready.set_exception(ConnectionError("websocket refused"))
        if not self.gone.done():
            self.gone.set_result(None)

    def data_received(self, data):
        buf = self.buf
        buf += data
        if not self.open:
            end = buf.find(b"\r\n\r\n")
            if end < 0:
                return
            line = bytes(buf[: buf.find(b"\r\n")])
            if b" 101" not in line:
                self.ready.set_exception(ConnectionError(line.decode("latin1")))
                self.transport.close()
                return
            del buf[: end + 4]
            self.open = True
            if not self.ready.done():
                self.ready.set_result(None)
        pos, n = 0, len(buf)
        while n - pos >= 2:
            b0, ln, start = buf[pos], buf[pos + 1] & 0x7F, pos + 2
            if ln == 126:
                if n < start + 2:
                    break
                ln = int.from_bytes(buf[start : start + 2], "big")
                start += 2
            elif ln == 127:
                if n < start + 8:
                    break
                ln = int.from_bytes(buf[start : start + 8], "big")
                start += 8
            if n < start + ln:
                break
            payload = bytes(buf[start : start + ln])
            pos = start + ln
            op = b0 & 0x0F
            if op == 9:
                self.send(payload, 10)
            elif op == 8:
                self.transport.close()
            elif op in (0, 1, 2):
                if op == 0:
                    self.frag += payload
                elif not b0 & 0x80:
                    self.frag = bytearray(payload)
                if b0 & 0x80:
                    self.on_text(bytes(self.frag) if op == 0 else payload)
        if pos:
            del buf[:pos]

    def send(self, payload: bytes, op: int = 1):
        n = len(payload)
        if n < 126:
            head = bytes((0x80 | op, 0x80 | n))
        elif n < 65536:
            head = bytes((0x80 | op, 0x80 | 126)) + n.to_bytes(2, "big")
        else:
            head = bytes((0x80 | op, 0x80 | 127)) + n.to_bytes(8, "big")
        # the mask key is all zero, so masking leaves the payload as it is
        self.transport.write(head + b"\0\0\0\0" + payload)


class WebSocket:
    """on_text(bytes) is called for every data message, from the event loop."""

    def __init__(self, url: str, on_text, headers: dict | None = None):
        self.url, self.on_text, self.headers = url, on_text, headers or {}
        self.proto: _WsProtocol | None = None

    async def connect(self, timeout: float = 30):
        u = urlsplit(self.url)
        path = (u.path or "/") + (f"?{u.query}" if u.query else "")
        loop = asyncio.get_running_loop()
        _, self.proto = await loop.create_connection(lambda: _WsProtocol(self.on_text), u.hostname, u.port or 80)
        key = base64.b64encode(os.urandom(16)).decode()
        extra = "".join(f"{k}: {v}\r\n" for k, v in self.headers.items())
        self.proto.transport.write(
            (
                f"GET {path} HTTP/1.1\r\nHost: {u.hostname}:{u.port}\r\n"
                f"Upgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
                f"{extra}\r\n"
            ).encode()
        )
        await asyncio.wait_for(self.proto.ready, timeout)
        return self

    def send(self, payload: bytes):
        self.proto.send(payload)

    def close(self):
        if self.proto and self.proto.transport and not self.proto.closed:
            self.proto.send(b"\x03\xe8", 8)
            self.proto.transport.close()
