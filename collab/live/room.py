"""One session's sockets in this process: one read and one rendering for all of them."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Protocol
from uuid import UUID

from collab.live import encode, reading
from collab.live.credential import Credential
from collab.live.encode import Encoded
from collab.threads import in_thread
from messaging.roster.known import Epochs
from messaging.transcript import changes, fresh, stream
from messaging.transcript.stream import PieceView
from messaging.transcript.view import TurnView

ACCESS_GONE = 4403
#: Before a turn's first piece: attempt, piece.
START = (0, -1)
#: What is held in memory of a history that is being sent to one socket: bytes, and for how many seconds.
MOST_HELD = 8 * 1024 * 1024
HELD_FOR = 1.0


class Socket(Protocol):
    """What the hub needs of a connection."""

    person: UUID
    credential: Credential
    html: bool
    seq: int
    ended: bool

    def put(self, text: str) -> None:
        """Queues text to be sent; never blocks. A socket that does not keep up is closed."""

    async def drained(self, patience: float | None = None) -> bool:
        """Waits until there is room for more, or it has ended, for so many seconds at most; whether that is so."""

    def end(self, code: int) -> None:
        """Closes with a code."""


class Left(Exception):
    """A socket has ended while it was being brought up to date."""


class Room:
    """`seq` is how far the room's own reading has come; each socket remembers how far it has been sent."""

    def __init__(self, session: UUID) -> None:
        self.session = session
        self.seq = 0
        self.epoch: Epochs | None = None
        self.sockets: set[Socket] = set()
        self.said: dict[str, tuple[int, int]] = {}
        self.turn = asyncio.Lock()
        self.joining = 0

    @property
    def empty(self) -> bool:
        """Whether nobody is in it, or coming in."""
        return not self.sockets and not self.joining

    async def join(self, socket: Socket) -> None:
        """Sends a socket all since its own number, then keeps it up to date with the others.

        A number that the session has not reached yet would leave the socket waiting for it: it counts as the last.
        Raises Left where the socket ends meanwhile.
        """
        socket.seq = min(socket.seq, await in_thread(reading.seq_of, self.session))
        while await self._catch_up(socket):
            await socket.drained()
        await socket.drained()
        async with self.turn:
            # Nobody is waited for here: all others would wait, too. Who cannot take this much is cut, and resumes.
            more = True
            while more:
                frames, more = await self._next(socket)
                self._send(frames, {socket})
            if socket.ended:
                raise Left
            if not self.sockets:
                self.seq = socket.seq
            await self._stream_to(socket)
            self.sockets.add(socket)
            socket.put(encode.plain("ready", seq=socket.seq))

    async def _stream_to(self, socket: Socket) -> None:
        """What is being said right now, whole; the others are brought to the same piece first."""
        for view in await in_thread(stream.of_session, self.session):
            for missed in await in_thread(stream.of_turn, UUID(view.turn), *self.said.get(view.turn, START), view.n):
                self._piece(missed)
            self.said[view.turn] = (view.attempt, view.n)
            socket.put(encode.piece(view))

    async def _catch_up(self, socket: Socket) -> bool:
        """Sends a socket its next frames; whether there may be more.

        Those that it does not take soon are read again later, not held: it may never take them, or lose its right to.
        """
        frames, more = await self._next(socket)
        end = time.monotonic() + HELD_FOR
        for one in frames:
            left = end - time.monotonic()
            if left <= 0 or not await socket.drained(left):
                return True
            self._send([one], {socket})
        return more

    async def _next(self, socket: Socket) -> tuple[list[Encoded], bool]:
        """What follows for a socket, up to a number of bytes, and whether there may be more.

        Whoever lost access is let go. Raises Left where the socket has ended.
        """
        if socket.ended:
            raise Left
        viewing = (socket.person, socket.credential)
        wanted = {self.session: (reading.Wanted(socket.seq, None, {viewing}), {socket.html})}
        batch, frames = (await in_thread(_prepared, wanted, MOST_HELD))[self.session]
        if viewing not in (batch.allowed or ()):
            socket.end(ACCESS_GONE)
            raise Left
        return frames, batch.more or len(frames) < len(batch.frames)

    def hand_on(self, seq: int) -> bool:
        """Sends what this process has just written, up to number `seq`; False where the table has to be read.

        That is so with a gap, with a right that has changed, with work under way, or where a page wants it rendered.
        """
        if self.turn.locked() or any(socket.html for socket in self.sockets):
            return False
        for stretch in fresh.after(self.session, self.seq):
            if stretch.epochs != self.epoch:
                return False
            self._send([Encoded(frame) for frame in stretch.frames], self.sockets)
            self.seq = stretch.frames[-1].seq
        return self.seq >= seq

    def wanted(self) -> tuple[reading.Wanted, set[bool]]:
        """What is to be read for it, and the forms in which its sockets want it."""
        viewing = {(socket.person, socket.credential) for socket in self.sockets}
        return reading.Wanted(self.seq, self.epoch, viewing), {socket.html for socket in self.sockets}

    def take(self, batch: reading.Batch, frames: list[Encoded]) -> None:
        """Sends what was read to whom it is for; whoever has lost access goes first."""
        self.epoch = batch.epoch
        if batch.allowed is not None:
            self.let_go(_outside(batch.allowed))
        self._send(frames, self.sockets)
        self.seq = frames[-1].frame.seq if frames else self.seq

    async def piece(self, turn: UUID) -> None:
        """Sends what a turn has said since."""
        async with self.turn:
            views = await in_thread(stream.of_turn, turn, *self.said.get(str(turn), START))
            for view in views:
                self._piece(view)

    def _piece(self, view: PieceView) -> None:
        self.said[view.turn] = (view.attempt, view.n)
        text = encode.piece(view)
        for socket in tuple(self.sockets):
            socket.put(text)

    def let_go(self, lost: Callable[[Socket], bool]) -> None:
        """Ends the sockets that have lost access."""
        for socket in [one for one in self.sockets if lost(one)]:
            self.sockets.discard(socket)
            socket.end(ACCESS_GONE)

    def _send(self, frames: list[Encoded], sockets: set[Socket]) -> None:
        for one in frames:
            for socket in tuple(sockets):
                if one.frame.seq > socket.seq:
                    socket.seq = one.frame.seq
                    if changes.may_see(one.frame, socket.person):
                        socket.put(one.text(html=socket.html))
            if isinstance(one.frame.body, TurnView) and one.frame.body.ended_at is not None:
                # An ended turn says nothing more.
                self.said.pop(one.frame.body.id, None)


def _outside(allowed: set[reading.Viewing]) -> Callable[[Socket], bool]:
    return lambda socket: (socket.person, socket.credential) not in allowed


async def pump(rooms: Sequence[Room]) -> None:
    """Reads what is new in these rooms, all together, and sends it; nobody else reads or joins there meanwhile."""
    async with AsyncExitStack() as turns:
        for room in rooms:
            await turns.enter_async_context(room.turn)
        behind = [room for room in rooms if room.sockets]
        while behind:
            found = await in_thread(_prepared, {room.session: room.wanted() for room in behind})
            for room in behind:
                room.take(*found[room.session])
            behind = [room for room in behind if found[room.session][0].more and room.sockets]


def _prepared(
    wanted: Mapping[UUID, tuple[reading.Wanted, set[bool]]], most: int | None = None
) -> dict[UUID, tuple[reading.Batch, list[Encoded]]]:
    """Batches with their frames in the forms that are asked for, made off the loop: rendering takes its time.

    Of each the first frames alone, where `most` bytes are less than all of them take.
    """
    found = reading.batches({session: one for session, (one, _) in wanted.items()})
    return {
        session: (found[session], _encoded(found[session], one, forms, most))
        for session, (one, forms) in wanted.items()
    }


def _encoded(batch: reading.Batch, wanted: reading.Wanted, forms: set[bool], most: int | None) -> list[Encoded]:
    people = {person for person, _ in wanted.viewing}
    frames: list[Encoded] = []
    taken = 0
    for one in map(Encoded, batch.frames):
        if most is not None and taken > most:
            break
        frames.append(one)
        if any(changes.may_see(one.frame, person) for person in people):
            taken += sum(sys.getsizeof(one.text(html=html)) for html in forms)
    return frames
