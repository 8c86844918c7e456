"""A question to what may hang, asked in a thread of its own, so that whoever asks gives up in time.

A server that is stopped takes connections and questions and answers none, so no timeout of its own helps.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from django.db import OperationalError, connections

T = TypeVar("T")
#: Seconds that a command waits for an answer.
WITHIN = 5.0
#: Between looks whether the server of long work still answers, and how many of them in a row have to fail.
EVERY, MOST_MISSED = 3.0, 2


class Patient(Generic[T]):
    """Asks about the database. While one question hangs no second is asked, so that threads do not pile up."""

    def __init__(self, question: Callable[[], T], seconds: float = 2.0) -> None:
        self._question = question
        self._seconds = seconds
        self._one_at_a_time = threading.Lock()

    def ask(self) -> T:
        """The answer. Raises TimeoutError where there is none in time, and whatever the question raises."""
        if not self._one_at_a_time.acquire(timeout=self._seconds):
            raise TimeoutError
        answers: list[T] = []
        errors: list[Exception] = []
        ended = threading.Event()
        threading.Thread(target=self._run, args=(answers, errors, ended), name="question", daemon=True).start()
        if not ended.wait(self._seconds):
            raise TimeoutError
        if errors:
            raise errors[0]
        return answers[0]

    def _run(self, answers: list[T], errors: list[Exception], ended: threading.Event) -> None:
        try:
            answers.append(self._question())
        except Exception as error:  # noqa: BLE001 -- it is raised where the question was asked
            errors.append(error)
        finally:
            # A connection of its own each time: that another one can be had is part of the answer.
            connections.close_all()
            self._one_at_a_time.release()
            ended.set()


class Asked(Generic[T]):
    """A question in a thread of its own, by the connections of the thread that asks, which leaves them alone."""

    def __init__(self, question: Callable[[], T]) -> None:
        self._question = question
        self._lent = {alias: connections[alias] for alias in connections}
        for connection in self._lent.values():
            connection.inc_thread_sharing()
        self._answers: list[T] = []
        self._errors: list[BaseException] = []
        self._ended = threading.Event()
        threading.Thread(target=self._run, name="question", daemon=True).start()

    def ended(self, seconds: float) -> bool:
        """Wait for the answer for so long; whether it is there."""
        return self._ended.wait(seconds)

    def answer(self) -> T:
        """The answer, once it has ended; raises what the question raised, and TimeoutError where it was given up."""
        if not self._ended.is_set():
            self.leave()
            raise TimeoutError
        for connection in self._lent.values():
            connection.dec_thread_sharing()
        if self._errors:
            raise TimeoutError if timed_out(self._errors[0]) else self._errors[0]
        return self._answers[0]

    def leave(self) -> None:
        """Give up. Its connections may be busy for ever: whatever this thread asks next is asked by new ones."""
        for alias in self._lent:
            del connections[alias]

    def _run(self) -> None:
        for alias, connection in self._lent.items():
            connections[alias] = connection
        try:
            self._answers.append(self._question())
        except BaseException as error:  # noqa: BLE001 -- it is raised where the question was asked
            self._errors.append(error)
        finally:
            self._ended.set()


def timed_out(error: BaseException) -> bool:
    """Whether the driver lost patience with a server that does not speak, which may be a moment before we do."""
    from psycopg.errors import ConnectionTimeout

    return isinstance(error, OperationalError) and isinstance(error.__cause__, ConnectionTimeout)


def within(seconds: float, question: Callable[[], T]) -> T:
    """The answer. Raises TimeoutError, with words, where there is none in time, and whatever the question raises."""
    asked = Asked(question)
    asked.ended(seconds)
    try:
        return asked.answer()
    except TimeoutError:
        raise TimeoutError(f"does not answer within {seconds:g} s") from None


def watched(work: Callable[[], T], alive: Callable[[], bool], every: float = EVERY) -> T:
    """What long work comes to. Raises TimeoutError once `alive` has said twice in a row that its server is not."""
    asked, missed = Asked(work), 0
    try:
        while not asked.ended(every) and missed < MOST_MISSED:
            missed = 0 if alive() else missed + 1
    except BaseException:
        asked.leave()
        raise
    return asked.answer()
