"""The transcript's rows."""

from messaging.transcript.models.audit import AuditEntry
from messaging.transcript.models.deed import Reclassification, Revision, Tombstone
from messaging.transcript.models.message import Addressee, Message

__all__ = ["Addressee", "AuditEntry", "Message", "Reclassification", "Revision", "Tombstone"]
