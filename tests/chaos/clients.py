"""Clients that post, each under keys of its own, and go on asking until they know that it was kept."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import httpx

from tests.chaos.cast import Cast, Person

#: What only people hear; it must not reach the model server.
CANARY = "canary-for-people-alone"
BURST = 5


@dataclass(frozen=True)
class Wish:
    """A post as a client means it. Its key stands in its text, so that it is found again wherever it turns up."""

    author: str
    session: str
    key: str
    text: str
    audience: str


@dataclass(frozen=True)
class Kept:
    """A wish and the acknowledgement for it."""

    wish: Wish
    id: str
    seq: int
    tries: int


class Client(threading.Thread):
    """Posts its wishes one after the other, in bursts, to whichever address answers."""

    def __init__(self, person: Person, wishes: Sequence[Wish], addresses: Sequence[str], rest: float, seed: int):
        super().__init__(name=f"client-{person.handle}", daemon=True)
        self.wishes, self.addresses, self.rest = wishes, list(addresses), rest
        self.dice = random.Random(f"{seed} {person.handle}")
        self.http = httpx.Client(headers=person.headers, timeout=10)
        self.kept: list[Kept] = []
        self.fault = ""
        self.stopped = threading.Event()

    def run(self) -> None:
        for n, wish in enumerate(self.wishes):
            if n % BURST == 0:
                self.stopped.wait(self.dice.uniform(0, 2 * self.rest * BURST))
            if self.fault or not self._insist(wish):
                return

    def _insist(self, wish: Wish) -> bool:
        tries = 0
        while not self.stopped.is_set():
            tries += 1
            answer = self._try(wish)
            if answer is not None and answer.status_code in (200, 201):
                self.kept.append(Kept(wish, answer.json()["id"], answer.json()["seq"], tries))
                return True
            if answer is not None and answer.status_code not in (429, 500, 502, 503, 504):
                self.fault = f"{wish.key}: {answer.status_code} {answer.text[:200]}"
                return False
            self.stopped.wait(self.dice.uniform(0.05, 0.5))
        return False

    def _try(self, wish: Wish) -> httpx.Response | None:
        """One try at one address; None where nobody can tell what came of it."""
        body = {"text": wish.text, "audience": wish.audience, "client_key": wish.key}
        address = self.dice.choice(self.addresses)
        try:
            return self.http.post(f"{address}/api/v1/sessions/{wish.session}/messages", json=body)
        except httpx.HTTPError:
            return None


class Crowd:
    """All clients of a run."""

    def __init__(self, cast: Cast, addresses: Sequence[str], posts: int, rest: float, seed: int) -> None:
        dice = random.Random(seed)
        each = posts // len(cast.people)
        self.clients = [
            Client(person, [_wish(person, cast, n, dice) for n in range(each)], addresses, rest, seed)
            for person in cast.people
        ]

    def start(self) -> None:
        for client in self.clients:
            client.start()

    def acknowledged(self) -> int:
        return sum(len(client.kept) for client in self.clients)

    @property
    def kept(self) -> list[Kept]:
        """In the order in which each client was told."""
        return [kept for client in self.clients for kept in client.kept]

    @property
    def faults(self) -> list[str]:
        """Answers that no client could make sense of, and clients that did not come to an end."""
        odd = [client.fault for client in self.clients if client.fault]
        return odd + [f"{client.name} did not finish" for client in self.clients if client.is_alive()]

    def finish(self, patience: float) -> None:
        """Waits until every client knows about every post."""
        end = time.monotonic() + patience
        for client in self.clients:
            client.join(max(0.0, end - time.monotonic()))

    def stop(self) -> None:
        for client in self.clients:
            client.stopped.set()


def _wish(person: Person, cast: Cast, n: int, dice: random.Random) -> Wish:
    other = dice.choice([one for one in cast.people if one is not person])
    audience = dice.choices(("participants", "active_agent", "everyone", f"participant:{other.handle}"), (5, 2, 2, 1))[
        0
    ]
    key = f"<{cast.name}/{person.handle}/{n}>"
    secret = "" if audience in ("active_agent", "everyone") else f" {CANARY}"
    return Wish(person.handle, dice.choice(cast.sessions), key, f"{key}{secret}", audience)


def until(condition: Callable[[], bool], what: str, patience: float) -> None:
    """Waits for something. Raises TimeoutError."""
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(f"{what}: not within {patience} s")
        time.sleep(0.05)
