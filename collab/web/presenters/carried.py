"""What may be carried from a session back into the one that it came from."""

from __future__ import annotations

from messaging.transcript.view import MessageView


def may_go_back(message: MessageView) -> bool:
    """Direct messages, the server's own and deleted ones go nowhere; what came from there is there."""
    came_along = message.source.get("client") == "fork"
    return message.audience_kind not in ("participant", "system") and not message.deleted_at and not came_along
