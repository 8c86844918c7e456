"""The transcript's rows."""

from messaging.transcript.models.message import Addressee, Message

__all__ = ["Addressee", "Message"]
