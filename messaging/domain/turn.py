"""An agent's run over deliveries, and each try at it (decisions, "Dispositions and turns")."""

from __future__ import annotations

from enum import StrEnum

from messaging.domain.table import Table

MAX_ATTEMPTS = 3
#: Model steps of one attempt. The last of them takes no steering any more.
MAX_STEPS = 8
#: Seconds before the second and the third attempt.
BACKOFF = (2.0, 8.0)
#: Seconds a provider's own wish to wait may cost at most.
LONGEST_WAIT = 60.0


class TurnState(StrEnum):
    """A turn runs, then ends in one of three ways."""

    RUNNING = "running"
    FINISHED = "finished"
    STOPPED = "stopped"
    FAILED = "failed"


class Window(StrEnum):
    """Whether a running turn takes steering: at its next boundary; no more, in its last step; it has ended."""

    OPEN = "open"
    CLOSING = "closing"
    CLOSED = "closed"


_T = TurnState
TABLE = Table(
    "turn",
    {
        "": (_T.RUNNING,),
        _T.RUNNING: (_T.FINISHED, _T.STOPPED, _T.FAILED),
        _T.FINISHED: (),
        _T.STOPPED: (),
        _T.FAILED: (),
    },
)


def may_retry(attempts: int, *, retryable: bool, acted: bool) -> bool:
    """Whether a turn whose `attempts` tries have failed is tried again: never once a tool that acts had begun."""
    return retryable and not acted and attempts < MAX_ATTEMPTS


def pause(attempts: int, asked: float | None = None) -> float:
    """Seconds to wait after `attempts` failed tries; `asked` is the provider's own wish."""
    own = BACKOFF[min(attempts, len(BACKOFF)) - 1]
    return min(max(own, asked or 0.0), LONGEST_WAIT)
