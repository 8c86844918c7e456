"""What the runner asks of a provider, and the one way in which providers fail."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any, Protocol, TypeAlias

from messaging.agents.context import Digest, Request
from messaging.domain.call import Call, Spent

#: Seconds after which a provider yields an empty piece, so that its runner can see to lease and stop.
PULSE = 0.25


#: What comes of a request.
Bit: TypeAlias = str | Call | Spent


class ProviderError(Exception):
    """No answer came. It carries a code and a pause, never what a provider sent: that may hold secrets.

    reason: a code of `messaging.domain.reason`. wait: the seconds that the provider asked for.
    """

    def __init__(self, code: str, wait: float | None = None) -> None:
        super().__init__(code)
        self.reason = code
        self.wait = wait


class Provider(Protocol):
    """Something that answers a request.

    `digests`: whether it can make summaries and titles; one that cannot is shown rows alone, the newest that fit.
    """

    digests: bool

    def budget(self, settings: Mapping[str, Any]) -> int:
        """The bytes of lines that a request to it may hold, by a seat's settings. Raises ProviderError."""
        ...

    def digest(self, digest: Digest) -> Iterator[Bit]:
        """What was wished for, bit by bit, as `stream`. Raises ProviderError."""
        ...

    def stream(self, request: Request) -> Iterator[Bit]:
        """The answer bit by bit, an empty bit for each `PULSE` of silence; at its end the tools that the model calls,
        and what it used up.

        Raises ProviderError.
        Closing the iterator gives the request up.
        """
        ...


def silence(seconds: float) -> Iterator[str]:
    """Empty bits for that long."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(PULSE, left))
        yield ""


class Repeats:
    """What the providers share that are no model: they make nothing of what they are given."""

    digests = False

    def digest(self, _: Digest) -> Iterator[Bit]:
        """None. Raises ProviderError."""
        raise ProviderError("agent_fault")
