"""The interface between the driver and one server under test.

A new server needs one module in this folder with a class Adapter(Base).  The
driver calls, in this order:

    await start()                      launch with fresh data (or attach)
    await users(n)                     at least n logged-in users
    await room(title, members)         a room that all members have joined
    await receiver(user, room, cb)     live subscription, ready when it returns
    await sender(user, room)           a Sender; `await sender.send(text)`
    await last_page(user, room, k)     read the newest k messages, return count
    await stop()

Rules that keep the comparison fair:

* send() returns only when the server has told the sender that the message is
  accepted (HTTP 2xx, or the protocol's own acknowledgement).  It raises on
  refusal.  It must carry `text` unchanged.
* cb(text) is called once for each message as the subscriber's protocol
  delivers it, with the text as str or bytes (it may be the whole raw frame:
  the driver finds its marker inside), in the order of arrival.  Adapters
  neither reorder nor drop repeats: the driver counts those.
* pids() names the root processes whose whole tree is charged to the server
  (database and broker included).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

OnMessage = Callable[[Any], None]


@dataclasses.dataclass
class User:
    name: str
    token: str = ""
    extra: Any = None


@dataclasses.dataclass
class Room:
    id: str
    extra: Any = None


class Sender:
    async def send(self, text: str) -> None:
        raise NotImplementedError

    async def close(self) -> None:
        pass


class Receiver:
    async def close(self) -> None:
        pass


class Base:
    #: what "accepted" means here, shown in the result file
    accept = "?"
    #: what is durable when accept arrives
    durable = "?"
    #: compiled bytes regex whose group 1 is the room's sequence number in a
    #: frame, if the protocol carries one: arrivals that go backward are counted
    seq_pattern = None

    def __init__(self, env, opts: dict[str, str]):
        self.env = env  # servers.Env: ports, folders, postgres, redis
        self.opts = opts  # the key=value pairs from the command line

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def pids(self) -> list[int]:
        return []

    async def users(self, n: int) -> list[User]:
        raise NotImplementedError

    async def room(self, title: str, members: list[User]) -> Room:
        raise NotImplementedError

    async def sender(self, user: User, room: Room) -> Sender:
        raise NotImplementedError

    async def receiver(self, user: User, room: Room, cb: OnMessage) -> Receiver:
        raise NotImplementedError

    async def last_page(self, user: User, room: Room, limit: int) -> int:
        raise NotImplementedError

    async def seed(self, room: Room, user: User, count: int) -> bool:
        """Fill a room fast.  False: the driver posts them one by one."""
        return False
