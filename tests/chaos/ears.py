"""Sockets that are cut and come back with the number they had got to."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from tests.chaos.cast import Person

Frame = tuple[int, str, str]


def told(frame: dict[str, Any]) -> Frame:
    """What a frame says that later events do not change: number, kind, and what it is about."""
    match frame["type"]:
        case "message":
            about = f"{frame['message']['id']} {frame['message']['text']}"
        case "disposition":
            about = f"{frame['delivery']['id']} {frame['delivery']['disposition']}"
        case "turn":
            about = frame["turn"]["id"]
        case _:
            about = frame["member"]["handle"]
    return frame["seq"], frame["type"], about


@dataclass(eq=False)
class Ear:
    """One person in one session, listening on and on in a thread. `times` are those of each frame's arrival.

    `closed` has a code and a time for each connection that ended.
    """

    person: Person
    session: str
    addresses: Sequence[str]
    seed: int = 0
    frames: list[Frame] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    connections: int = 0
    closed: list[tuple[int, float]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.dice = random.Random(f"{self.seed} {self.person.handle} {self.session}")
        self.stopped = threading.Event()
        self.ready = threading.Event()
        self.thread = threading.Thread(target=self._run, name=f"ear-{self.person.handle}", daemon=True)
        self.thread.start()

    @property
    def after(self) -> int:
        return self.frames[-1][0] if self.frames else 0

    def _run(self) -> None:
        while not self.stopped.is_set():
            try:
                self._listen(self.dice.choice(self.addresses).replace("http", "ws", 1))
            except (OSError, WebSocketException):
                self.stopped.wait(self.dice.uniform(0.05, 0.3))

    def _listen(self, address: str) -> None:
        url = f"{address}/ws/sessions/{self.session}?after={self.after}"
        # A cookie counts from the server's own pages alone; to a token it makes no difference.
        headers = self.person.headers | {"Origin": address.replace("ws", "http", 1)}
        with connect(url, additional_headers=headers, open_timeout=5, close_timeout=1) as wire:
            self.connections += 1
            try:
                while not self.stopped.is_set():
                    try:
                        self._take(json.loads(wire.recv(0.5)))
                    except TimeoutError:
                        continue
            finally:
                self.closed.append((wire.close_code or 0, time.time()))

    def _take(self, frame: dict[str, Any]) -> None:
        if frame["type"] == "ready":
            self.ready.set()
        if "seq" in frame and frame["type"] != "ready":
            self.frames.append(told(frame))
            self.times.append(time.time())

    def stop(self) -> None:
        self.stopped.set()
        self.thread.join(5)


def changes(person: Person, session: str, address: str) -> list[Frame]:
    """The same by asking: everything that this person may see of a session."""
    found: list[Frame] = []
    page: dict[str, Any] = {"more": True, "next": 0}
    with httpx.Client(base_url=f"{address}/api/v1", headers=person.headers, timeout=30) as http:
        while page["more"]:
            answer = http.get(f"/sessions/{session}/changes", params={"after": page["next"]})
            assert answer.status_code == 200, answer.text
            page = answer.json()
            found += [told(frame) for frame in page["items"]]
    return found
