"""The one who writes: a thread of the web process that posts all drafts that wait, together, and answers each.

A commit costs a wait for the disk; ten posts in one commit cost one. The drafts that come while one batch is written
are the next. Where no writer runs (tests, commands, other processes) a draft is posted where it stands.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import TypeAlias

from django.db import InterfaceError, OperationalError, connection

from collab.threads import in_posting_thread
from messaging.actions import post as actions
from messaging.actions.draft import Draft, Outcome, Posted, Refusal

log = logging.getLogger(__name__)
#: Drafts in one transaction, at most: what a batch does to others who wait for its locks stays bounded.
MOST = 200
#: Drafts that wait, at most; whoever comes then is told so at once.
MOST_WAITING = 10_000
#: Seconds that a request's thread waits for its answer. A draft that was taken is written all the same.
PATIENCE = 60.0
#: Seconds after which a batch counts as stuck, and a connection as one to be looked at first.
STUCK = 10.0
IDLE = 5.0
#: What a database says that has rolled back and may do it at a second try, draft by draft: deadlock, serialization
#: failure, a lock that somebody holds for too long.
_AGAIN = ("40P01", "40001", "55P03")

Result: TypeAlias = Outcome | Exception
Waiting: TypeAlias = "Future[Outcome] | asyncio.Future[Outcome]"


class Writer:
    """Takes drafts from requests' threads and from the loop; a client that goes away cancels nothing."""

    def __init__(self) -> None:
        self._waiting: SimpleQueue[tuple[Draft, Waiting] | None] = SimpleQueue()
        self._began: float | None = None
        self._ended = time.monotonic()
        self._thread = threading.Thread(target=self._run, name="writer", daemon=True)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def stop(self, patience: float = 2.0) -> None:
        """Write what waits, and end."""
        self._waiting.put(None)
        self._thread.join(patience)

    def alive(self) -> bool:
        """Whether drafts are written, and not one batch held up for longer than anybody's patience."""
        began = self._began
        return self._thread.is_alive() and (began is None or time.monotonic() - began < STUCK)

    def take(self, draft: Draft, answer: Waiting) -> None:
        """Take a draft; `answer` gets its outcome, or the error for which there is none. Raises Refusal (503)."""
        if self._waiting.qsize() >= MOST_WAITING:
            raise Refusal(503, "busy", "Too many posts wait here. Try again, under the same client_key.", retry_after=1)
        self._waiting.put((draft, answer))

    def _run(self) -> None:
        while batch := self._batch():
            self._began = time.monotonic()
            try:
                self._freshen()
                _settle([answer for _, answer in batch], _post([draft for draft, _ in batch]))
            except Exception:
                # Whatever it was, those who come next must find somebody who writes.
                log.exception("a batch of drafts could not be answered")
            self._ended, self._began = time.monotonic(), None
        connection.close()

    def _freshen(self) -> None:
        """A connection that was idle for a while may be gone, which is better found out before something is sent."""
        if time.monotonic() - self._ended > IDLE:
            connection.close_if_unusable_or_obsolete()

    def _batch(self) -> list[tuple[Draft, Waiting]]:
        """All that wait, at least one; nothing when told to stop and nobody waits any more."""
        batch: list[tuple[Draft, Waiting]] = []
        first = self._waiting.get()
        while first is not None:
            batch.append(first)
            if len(batch) == MOST:
                return batch
            try:
                first = self._waiting.get_nowait()
            except Empty:
                return batch
        # The word to stop is left for the next look.
        self._waiting.put(None)
        return batch


def _post(drafts: Sequence[Draft]) -> Sequence[Result]:
    """Posts all at once. What fails as a whole is posted one by one, so that one spoils none: it was rolled back.

    Not so where the connection was lost: perhaps it was committed and only the word of it did not come. Whoever has a
    key may ask again.
    """
    try:
        return actions.post(drafts)
    except Exception as error:  # noqa: BLE001 -- whoever waits must be answered, whatever it was
        connection.close_if_unusable_or_obsolete()
        if _is_lost(error) or len(drafts) == 1:
            return [_told(error)] * len(drafts)
        log.warning("%d drafts are posted one by one: %s", len(drafts), type(error).__name__)
    return [result for draft in drafts for result in _post([draft])]


def _is_lost(error: Exception) -> bool:
    """Whether nobody knows what became of the batch."""
    rolled_back = getattr(error.__cause__, "sqlstate", None) in _AGAIN
    return isinstance(error, OperationalError | InterfaceError) and not rolled_back


def _told(error: Exception) -> Exception:
    if isinstance(error, OperationalError | InterfaceError):
        log.warning("a draft could not be posted: %s", type(error).__name__)
    else:
        log.error("a draft could not be posted", exc_info=error)
    return error


def _settle(answers: Sequence[Waiting], results: Sequence[Result]) -> None:
    """Answers each; those who wait on one loop together, for waking a loop is dear."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[Waiting, Result]]] = defaultdict(list)
    for answer, result in zip(answers, results, strict=True):
        if isinstance(answer, Future):
            _tell(answer, result)
        else:
            by_loop[answer.get_loop()].append((answer, result))
    for loop, own in by_loop.items():
        try:
            loop.call_soon_threadsafe(_tell_all, own)
        except RuntimeError:
            log.info("those who waited are gone")  # the loop has ended; what is written is written


def _tell_all(pairs: Sequence[tuple[Waiting, Result]]) -> None:
    for answer, result in pairs:
        _tell(answer, result)


def _tell(answer: Waiting, result: Result) -> None:
    if answer.done():
        return
    if isinstance(result, Refusal) or not isinstance(result, Exception):
        answer.set_result(result)
    else:
        answer.set_exception(result)


_writer: Writer | None = None


def install(writer: Writer | None) -> None:
    """Sets who writes for this process; nobody: each thread for itself."""
    global _writer
    _writer = writer


async def post(draft: Draft) -> Posted:
    """Posts from the loop. Raises Refusal, or the database's error."""
    if _writer is None:
        return await in_posting_thread(actions.post_one, draft)
    answer: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
    _writer.take(draft, answer)
    return _posted(await asyncio.wait_for(asyncio.shield(answer), PATIENCE))


def post_one(draft: Draft) -> Posted:
    """Posts from a thread. Raises Refusal, or the database's error."""
    if _writer is None:
        return actions.post_one(draft)
    answer: Future[Outcome] = Future()
    _writer.take(draft, answer)
    return _posted(answer.result(PATIENCE))


def _posted(outcome: Outcome) -> Posted:
    if isinstance(outcome, Refusal):
        raise outcome
    return outcome
