"""Looks what tools sources have, where the house asked for it, and keeps what came of it, or why nothing did."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.db import connections
from django.db.models import F, Q
from django.utils import timezone

from messaging.agents.sources import folder
from messaging.agents.sources.line import load
from messaging.agents.sources.remote import Remote
from messaging.domain.source import LISTING_SECONDS, PASSING, Transport
from messaging.mailbox.models import Source

log = logging.getLogger(__name__)
#: Sources that are looked at at the same time: one that hangs holds up neither the sweep nor the others.
_MOST = 4
#: After how long it is tried again, where nothing was found for a cause that may be gone.
_AGAIN = timedelta(minutes=5)


class Listing:
    """Looks at sources, in threads of its own."""

    def __init__(self, look: Callable[[Source], tuple[list[dict[str, Any]], str]] | None = None) -> None:
        self._look = look or find
        self._running: set[UUID] = set()
        self._lock = threading.Lock()

    def sweep(self) -> None:
        """Begins to look wherever it was asked for; what is looked at already is left alone."""
        for source in due():
            with self._lock:
                if source.id in self._running or len(self._running) >= _MOST:
                    continue
                self._running.add(source.id)
            threading.Thread(target=self._keep, args=[source], name="source-listing", daemon=True).start()

    def _keep(self, source: Source) -> None:
        try:
            keep(source, self._look)
        except Exception:
            log.exception("The source %s could not be looked at", source.id)
        finally:
            with self._lock:
                self._running.discard(source.id)
            connections.close_all()


def due() -> list[Source]:
    """Sources that are to be looked at, those first that were asked about first."""
    asked = Q(listed_at=None) | Q(asked_at__gt=F("listed_at"))
    again = Q(fault__in=PASSING, listed_at__lt=timezone.now() - _AGAIN)
    return list(Source.objects.filter(asked | again, enabled=True).order_by("asked_at"))


def keep(source: Source, look: Callable[[Source], tuple[list[dict[str, Any]], str]]) -> None:
    """Writes down what a look at the source gives."""
    began = timezone.now()
    try:
        tools, fault = look(source)
    except Exception:
        log.exception("A look at the source %s failed", source.id)
        tools, fault = [], "source_fault"
    # Asked about meanwhile, or by a clock that is ahead of ours: the one is looked at again, the other is not for ever.
    at = max(began, source.asked_at)
    same = Source.objects.filter(id=source.id, transport=source.transport, asked_at=source.asked_at)
    same.update(tools=tools, fault=fault, listed_at=at)


def find(source: Source) -> tuple[list[dict[str, Any]], str]:
    """What tools the source has, and why there are none."""
    if source.transport == Transport.FOLDER:
        return folder.find(source.settings)
    with closing(Remote()) as remote:
        return remote.find(source, LISTING_SECONDS)


def warm_up() -> None:
    """Loads the library of connections, where there is a source that needs it."""
    if Source.objects.filter(enabled=True).exclude(transport=Transport.FOLDER).exists():
        load()
