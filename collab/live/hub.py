"""All sockets of this process, by session. One hub a process, whatever the number of sockets."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Coroutine, Sequence
from typing import Any
from uuid import UUID

from django.conf import settings

from collab.live import reading
from collab.live.credential import still_good
from collab.live.room import Room, Socket, pump
from collab.threads import in_thread
from messaging.journal import metrics, poke
from messaging.journal.poke import Poke
from messaging.transcript import fresh

log = logging.getLogger(__name__)
#: How often sockets are brought up to date without a poke: the bound on noticing lost access (promise 11).
TICK = 1.0


class Hub:
    """Rooms that have sockets, the pokes that move them, and a slow tick for pokes that got lost."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.rooms: dict[UUID, Room] = {}
        self.behind: dict[UUID, Room] = {}
        self.open: Counter[UUID] = Counter()
        self.reading = False
        self.tasks: set[asyncio.Task[None]] = set()
        poke.local.listeners.append(self.poked)
        self.ticking = self._spawn(self._tick())

    def poked(self, pokes: Sequence[Poke]) -> None:
        """May be called from any thread."""
        ours = [poke for poke in pokes if poke.session in self.rooms]
        if ours:
            self.loop.call_soon_threadsafe(self._move, ours)

    def admit(self, person: UUID) -> bool:
        """Counts one more open socket of a person; False, and nothing counted, where they have as many as they may."""
        if self.open[person] >= settings.LIMITS.sockets_per_person:
            return False
        self.open[person] += 1
        return True

    def dismiss(self, person: UUID) -> None:
        """Counts one socket less, once for each that was admitted."""
        self.open[person] -= 1
        if not self.open[person]:
            del self.open[person]

    async def join(self, session: UUID, socket: Socket) -> None:
        """Brings a socket up to date and keeps it so. Raises Left where it ends meanwhile."""
        room = self.rooms.setdefault(session, Room(session))
        fresh.follow(session)
        room.joining += 1
        try:
            await room.join(socket)
        finally:
            room.joining -= 1
            self._drop(room)

    def leave(self, session: UUID, socket: Socket) -> None:
        """Forgets a socket, and its room with the last one."""
        room = self.rooms.get(session)
        if room is None:
            return
        room.sockets.discard(socket)
        self._drop(room)

    def _drop(self, room: Room) -> None:
        if room.empty:
            self.rooms.pop(room.session, None)
            fresh.unfollow(room.session)

    def close(self) -> None:
        """Ends the hub's own work; for the end of its loop."""
        poke.local.listeners.remove(self.poked)
        for session in self.rooms:
            fresh.unfollow(session)
        for task in tuple(self.tasks):
            task.cancel()

    def _move(self, pokes: Sequence[Poke]) -> None:
        for one in pokes:
            room = self.rooms.get(one.session)
            if room is None:
                continue
            if one.turn is not None:
                self._spawn(room.piece(one.turn))
            elif one.seq > room.seq and not room.hand_on(one.seq):
                self._read(room)

    def _read(self, room: Room) -> None:
        """Has a room read; those that come up while others are read are read together, next."""
        self.behind[room.session] = room
        if not self.reading:
            self.reading = True
            self._spawn(self._read_all())

    async def _read_all(self) -> None:
        try:
            while self.behind:
                rooms = list(self.behind.values())
                self.behind.clear()
                # A room in which somebody reads a long history must not keep the others waiting.
                for room in [one for one in rooms if one.turn.locked()]:
                    self._spawn(pump([room]))
                await pump([one for one in rooms if not one.turn.locked()])
        except Exception as error:  # noqa: BLE001 -- the tick tries again
            log.warning("rooms could not be read: %s", type(error).__name__)
        finally:
            self.reading = False

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK)
            try:
                await self._refresh()
            except Exception as error:  # noqa: BLE001 -- the tick outlives a database that is away
                log.warning("tick failed: %s", type(error).__name__)

    async def _refresh(self) -> None:
        """Moves the rooms whose numbers or epochs have moved; lets go of those whose login has ended."""
        metrics.sockets.set(sum(len(room.sockets) for room in self.rooms.values()))
        await self._end_logins()
        now = await in_thread(reading.all_positions, list(self.rooms))
        for session, (seq, epoch) in now.items():
            room = self.rooms.get(session)
            if room is not None and (seq > room.seq or epoch != room.epoch):
                self._read(room)

    async def _end_logins(self) -> None:
        """A login runs out by time, and its row may go before or after anything is told: no epoch tells of that."""
        held = {one.credential for room in self.rooms.values() for one in room.sockets if one.credential.login}
        lost = held - await in_thread(still_good, held) if held else set()
        for room in tuple(self.rooms.values()) if lost else ():
            room.let_go(lambda socket: socket.credential in lost)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """The loop keeps weak references alone, so the hub keeps strong ones."""
        task = self.loop.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task


_hubs: dict[int, Hub] = {}


def hub() -> Hub:
    """The running loop's hub, made on first need."""
    loop = asyncio.get_running_loop()
    found = _hubs.get(id(loop))
    if found is None or found.loop is not loop:
        found = _hubs[id(loop)] = Hub()
    return found
