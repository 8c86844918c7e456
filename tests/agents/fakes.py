"""Providers that do what a test wants, put in place of the real ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest

from messaging.agents import providers
from messaging.agents.context import Digest, Request
from messaging.agents.providers.base import Bit

F = TypeVar("F", bound="Fake")


class Fake:
    """A provider made of a function."""

    digests = False

    def __init__(self, bits: Callable[[Request], Iterator[Bit]]) -> None:
        self._bits = bits
        self.requests: list[Request] = []
        self.closed = False

    def budget(self, _: object) -> int:
        """Bytes."""
        return 96 * 1024

    def digest(self, _: Digest) -> Iterator[Bit]:
        raise NotImplementedError

    def stream(self, request: Request) -> Iterator[Bit]:
        self.requests.append(request)
        try:
            yield from self._bits(request)
        finally:
            self.closed = True


class Digesting(Fake):
    """One that makes digests by a function, of requests with a small budget."""

    digests = True

    def __init__(
        self, digest: Callable[[Digest], Iterator[str]], bits: Callable[[Request], Iterator[Bit]] | None = None
    ) -> None:
        super().__init__(bits or (lambda _: iter(["fine"])))
        self._digest = digest
        self.digests_asked: list[Digest] = []

    def budget(self, settings: object) -> int:
        """Bytes, as the seat's settings say."""
        assert isinstance(settings, dict)
        return int(settings.get("context_bytes", 8192))

    def digest(self, digest: Digest) -> Iterator[Bit]:
        self.digests_asked.append(digest)
        yield from self._digest(digest)


def put_in(monkeypatch: pytest.MonkeyPatch, fake: F, name: str = "fake") -> F:
    """Registers the fake for the length of a test."""
    monkeypatch.setattr(providers, "_MAKERS", {**providers._MAKERS, name: lambda: fake})
    return fake
