"""The mailbox's rows."""

from messaging.mailbox.models.call import ToolCall
from messaging.mailbox.models.delivery import Delivery, Purpose, Transition
from messaging.mailbox.models.seat import Seat, SeatKind
from messaging.mailbox.models.source import Source
from messaging.mailbox.models.summary import Summary
from messaging.mailbox.models.turn import Attempt, Turn, TurnStep, Utterance
from messaging.mailbox.models.usage import Usage

__all__ = [
    "Attempt",
    "Delivery",
    "Purpose",
    "Seat",
    "SeatKind",
    "Source",
    "Summary",
    "ToolCall",
    "Transition",
    "Turn",
    "TurnStep",
    "Usage",
    "Utterance",
]
