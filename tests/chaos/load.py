"""Steady talk: so many posts a second, whatever becomes of each."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Sequence
from typing import Self

import httpx

from tests.chaos.cast import Person

THREADS = 10


class Load:
    """People of a session post `rate` messages a second between them, for as long as the block lasts."""

    def __init__(self, people: Sequence[Person], session: str, addresses: Sequence[str], rate: float) -> None:
        self.session, self.addresses, self.pause = session, addresses, THREADS / rate
        self.accepted: list[float] = []
        self.stopped = threading.Event()
        speakers = itertools.islice(itertools.cycle(people), THREADS)
        self.threads = [threading.Thread(target=self._talk, args=pair, daemon=True) for pair in enumerate(speakers)]

    def __enter__(self) -> Self:
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopped.set()
        for thread in self.threads:
            thread.join(10)

    @property
    def rate(self) -> float:
        """Accepted posts a second, from the first to the last."""
        return len(self.accepted) / (max(self.accepted) - min(self.accepted))

    def _talk(self, n: int, person: Person) -> None:
        url = f"{self.addresses[n % len(self.addresses)]}/api/v1/sessions/{self.session}/messages"
        due = time.monotonic() + self.pause * n / THREADS
        with httpx.Client(headers=person.headers, timeout=10) as http:
            while not self.stopped.wait(max(0.0, due - time.monotonic())):
                due = max(due + self.pause, time.monotonic())
                try:
                    answer = http.post(url, json={"text": "on and on", "audience": "participants"})
                except httpx.HTTPError:
                    continue
                if answer.status_code == 201:
                    self.accepted.append(time.time())
