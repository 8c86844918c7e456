"""Providers that do what a test wants, put in place of the real ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from messaging.agents import providers
from messaging.agents.context import Request


class Fake:
    """A provider made of a function."""

    def __init__(self, bits: Callable[[Request], Iterator[str]]) -> None:
        self._bits = bits
        self.requests: list[Request] = []
        self.closed = False

    def stream(self, request: Request) -> Iterator[str]:
        self.requests.append(request)
        try:
            yield from self._bits(request)
        finally:
            self.closed = True


def put_in(monkeypatch: pytest.MonkeyPatch, fake: Fake, name: str = "fake") -> Fake:
    """Registers the fake for the length of a test."""
    monkeypatch.setattr(providers, "_MAKERS", {**providers._MAKERS, name: lambda: fake})
    return fake
