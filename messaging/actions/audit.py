"""Writes down what somebody may have to answer for: each deed with the deed itself, each refusal on its own.

An entry holds codes, handles, audiences and reasons that were given; never a message's text.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TypeAlias
from uuid import UUID

from django.db import transaction
from django.db.transaction import TransactionManagementError
from django.utils import timezone

from messaging.domain.audit import Verb
from messaging.domain.capability import Capability
from messaging.journal import metrics
from messaging.roster.access import Caller
from messaging.transcript.models import AuditEntry

log = logging.getLogger(__name__)
#: The label of what no capability covers, such as keeping the installation.
OTHER = "other"
LABELS = frozenset({*Capability, OTHER})
#: Seconds for which the same refusal is written down once, and how many are remembered for that.
QUIET = 60.0
_LONGEST_ACTOR = 64
MOST = 10_000

#: Actor, session, capability.
Key: TypeAlias = tuple[str, UUID | None, str]


def note(
    verb: Verb, actor: Caller | str, session: UUID | None = None, about: UUID | None = None, **detail: Any
) -> None:
    """Adds one entry to the caller's transaction: what is rolled back was not done.

    `about` is the id of what it was done to. Raises TransactionManagementError outside of a transaction.
    """
    if not transaction.get_connection().in_atomic_block:
        raise TransactionManagementError("an entry belongs into the transaction of its deed")
    AuditEntry.objects.create(
        at=timezone.now(),
        # A login that never became a person may be longer than a handle.
        actor=(actor if isinstance(actor, str) else actor.handle)[:_LONGEST_ACTOR],
        verb=verb,
        session=session,
        about=about,
        detail={name: _plain(value) for name, value in detail.items()},
    )


def _plain(value: Any) -> Any:
    return str(value) if isinstance(value, UUID) else value


def refused(actor: Caller | str, session: UUID | None, capability: str, code: str) -> None:
    """Counts an answer of 403, and writes it down: once for each actor, session, capability and minute of this process.

    Call it once the deed's transaction is over, for the entry has one of its own. It never raises: whoever was refused
    is told so, whether that can be written down or not. Without an actor it is counted alone.
    """
    metrics.unauthorized.labels(capability if capability in LABELS else OTHER).inc()
    who = actor if isinstance(actor, str) else actor.handle
    key = (who, session, capability)
    if not who or not _recent.is_new(key):
        return
    try:
        with transaction.atomic():
            note(Verb.REFUSED, who, session, capability=capability, code=code)
    except Exception as error:  # noqa: BLE001 -- the answer goes out, whatever it was
        _recent.forget(key)
        log.warning("a refusal could not be written down: %s", type(error).__name__)


class Recent:
    """What came within the last minute. Of more than it may hold the oldest is forgotten first."""

    def __init__(self, most: int = MOST, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = most, clock
        self._seen: OrderedDict[Key, float] = OrderedDict()
        self._lock = threading.Lock()

    def is_new(self, key: Key) -> bool:
        """Whether it did not come within the last minute; from now on it did."""
        now = self._clock()
        with self._lock:
            last = self._seen.get(key)
            if last is not None and now - last < QUIET:
                return False
            self._seen[key] = now
            self._seen.move_to_end(key)
            while len(self._seen) > self._most:
                self._seen.popitem(last=False)
        return True

    def forget(self, key: Key) -> None:
        """As if it had not come."""
        with self._lock:
            self._seen.pop(key, None)

    def clear(self) -> None:
        """Forgets everything; for tests, which begin with an empty log."""
        with self._lock:
            self._seen.clear()


_recent = Recent()


def forget() -> None:
    """Forgets which refusals came lately; for tests, whose log begins empty."""
    _recent.clear()
