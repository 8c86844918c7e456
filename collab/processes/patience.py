"""A question to what may hang, asked in a thread of its own, so that whoever asks gives up in time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from django.db import connections

T = TypeVar("T")


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
