"""The transcript's rows."""

from messaging.transcript.models.ask import Ask, AskShown, AskStep
from messaging.transcript.models.audit import AuditEntry
from messaging.transcript.models.deed import Reclassification, Revision, Tombstone
from messaging.transcript.models.message import Addressee, Message

__all__ = [
    "Addressee",
    "Ask",
    "AskShown",
    "AskStep",
    "AuditEntry",
    "Message",
    "Reclassification",
    "Revision",
    "Tombstone",
]
