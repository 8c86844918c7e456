"""Somebody of the cast, over the network alone: REST and the socket, as any program would use them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import httpx
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.services.earshot import Installation


class Member:
    """One person or agent with its token."""

    def __init__(self, installation: Installation, secret: str, session: str = "welcome") -> None:
        self.address, self.secret, self.session = installation.address, secret, session
        self.http = httpx.Client(
            base_url=f"{self.address}/api/v1", headers={"Authorization": f"Bearer {secret}"}, timeout=30
        )

    def post(self, text: str, audience: str = "participants", **more: Any) -> httpx.Response:
        return self.http.post(f"/sessions/{self.session}/messages", json={"text": text, "audience": audience, **more})

    def say(self, text: str, audience: str = "participants", **more: Any) -> dict[str, Any]:
        answer = self.post(text, audience, **more)
        if answer.status_code == 429 and answer.json()["code"] == "too_fast":
            # Many tests ask in one name.
            time.sleep(int(answer.headers["Retry-After"]))
            answer = self.post(text, audience, **more)
        assert answer.status_code in (200, 201), answer.text
        message: dict[str, Any] = answer.json()
        return message

    def get(self, path: str, **query: Any) -> dict[str, Any]:
        answer = self.http.get(path, params=query)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def messages(self) -> list[dict[str, Any]]:
        """The whole transcript, page by page."""
        items: list[dict[str, Any]] = []
        page: dict[str, Any] = {"next": 0}
        while page["next"] is not None:
            page = self.get(f"/sessions/{self.session}/messages", after=page["next"], limit=200)
            items += page["items"]
        return items

    def history(self, message: dict[str, Any]) -> list[str]:
        items = self.get(f"/messages/{message['id']}/history")["items"]
        return [row["state"] for row in items if row["kind"] == "disposition"]

    def do(self, method: str, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        """Does something, and answers with what it became."""
        answer = self.http.request(method, path, json=body)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def answer_to(self, message: dict[str, Any], patience: float = 30) -> dict[str, Any]:
        """Waits for the answer that is linked to a message."""

        def found() -> dict[str, Any] | None:
            return next((one for one in self.messages() if one["answers"] == message["id"]), None)

        answer: dict[str, Any] = until(found, f"an answer to {message['id']}", patience)
        return answer

    def listen(self, after: int = 0, **query: str) -> Ear:
        """Opens a socket."""
        return Ear(self, after, query)


class Ear:
    """An open socket and what came in by it."""

    def __init__(self, member: Member, after: int, query: dict[str, str]) -> None:
        rest = "".join(f"&{name}={value}" for name, value in query.items())
        url = f"{member.address.replace('http', 'ws', 1)}/ws/sessions/{member.session}?after={after}{rest}"
        headers = {"Authorization": f"Bearer {member.secret}"}
        self.wire: ClientConnection = connect(url, additional_headers=headers, open_timeout=20, close_timeout=1)
        self.frames: list[dict[str, Any]] = []

    def next(self, timeout: float = 20) -> dict[str, Any]:
        frame: dict[str, Any] = json.loads(self.wire.recv(timeout))
        self.frames.append(frame)
        return frame

    def until(self, wanted: Callable[[dict[str, Any]], bool], timeout: float = 30) -> dict[str, Any]:
        end = time.monotonic() + timeout
        while not wanted(frame := self.next(max(0.1, end - time.monotonic()))):
            pass
        return frame

    def drain(self, quiet: float = 0.5) -> None:
        """Takes what comes until nothing has come for a while."""
        try:
            while True:
                self.next(quiet)
        except (TimeoutError, ConnectionClosed):
            return

    def close(self) -> None:
        self.wire.close()


def until(found: Callable[[], Any], what: str, patience: float = 30) -> Any:
    """Asks again and again until there is an answer."""
    end = time.monotonic() + patience
    while not (value := found()):
        assert time.monotonic() < end, f"{what}: not within {patience} s"
        time.sleep(0.1)
    return value
