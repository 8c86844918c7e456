"""What became of one message before one agent: the published table (specification B, "Delivery dispositions")."""

from __future__ import annotations

from enum import StrEnum

from messaging.domain.table import Table


class Disposition(StrEnum):
    """The nine words. `failed` carries `retryable`; `uncertain` is a reason, not a state."""

    ACCEPTED = "accepted"
    QUEUED = "queued"
    STEERING_REQUESTED = "steering_requested"
    DELIVERED = "delivered"
    RESPONDED = "responded"
    REJECTED = "rejected"
    SUPERSEDED = "superseded"
    TOO_LATE = "too_late"
    FAILED = "failed"


_D = Disposition
TABLE = Table(
    "disposition",
    {
        "": (_D.ACCEPTED,),
        _D.ACCEPTED: (_D.QUEUED, _D.STEERING_REQUESTED, _D.REJECTED, _D.SUPERSEDED, _D.FAILED),
        _D.QUEUED: (_D.DELIVERED, _D.STEERING_REQUESTED, _D.SUPERSEDED, _D.REJECTED, _D.FAILED, _D.TOO_LATE),
        _D.STEERING_REQUESTED: (_D.DELIVERED, _D.TOO_LATE, _D.SUPERSEDED, _D.REJECTED, _D.FAILED),
        _D.FAILED: (_D.QUEUED,),
        _D.DELIVERED: (_D.RESPONDED,),
        _D.RESPONDED: (),
        _D.REJECTED: (),
        _D.SUPERSEDED: (),
        _D.TOO_LATE: (),
    },
)

#: States in which an agent has not yet been shown the text.
WAITING = (_D.ACCEPTED, _D.QUEUED, _D.STEERING_REQUESTED)
#: States in which an agent has been shown the text; they cannot be taken back.
SHOWN = (_D.DELIVERED, _D.RESPONDED)
#: Ends without having been shown.
NEVER_SHOWN = (_D.REJECTED, _D.SUPERSEDED, _D.TOO_LATE)
#: Ends that nobody wished for who said it: withdrawing, editing and the like are deeds of people.
UNHEARD = (_D.TOO_LATE, _D.FAILED, _D.REJECTED)
#: States that nothing leaves.
OVER = (*NEVER_SHOWN, _D.RESPONDED)
