"""A provider that breaks in an unforeseen way breaks what it was asked for, not the process."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator
from typing import TypeVar

from messaging.agents.providers.base import ProviderError
from messaging.mailbox.models import Seat

log = logging.getLogger(__name__)


T = TypeVar("T")


def guarded(bits: Iterator[T], seat: Seat) -> Generator[T, None, None]:
    """The provider's bits. Raises ProviderError alone."""
    try:
        yield from bits
    except (ProviderError, GeneratorExit):
        raise
    except Exception as fault:
        log.exception("The provider %s of seat %s is at fault", seat.provider, seat.id)
        raise ProviderError("agent_fault") from fault
