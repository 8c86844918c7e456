"""Who hears a reply, unless its author chooses otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from collab.web.presenters.choice import AND, Choice
from messaging.transcript.view import MessageView


def audience_for(parent: MessageView, me: str, offered: Sequence[Choice]) -> str:
    """A reply to an agent goes to that agent, one to a direct message to all who have it, any other keeps its
    parent's class. Of several, those who can still be spoken to; empty where nobody can."""
    for wish in _wishes(parent, me):
        found = [choice.value for choice in offered if choice.value in wish]
        if found:
            return AND.join(found)
    return ""


def _wishes(parent: MessageView, me: str) -> list[set[str]]:
    if parent.author.kind == "agent":
        return [{f"agent:{parent.author.id}"}, {"active_agent"}]
    if parent.audience_kind == "participant":
        return [{f"participant:{handle}" for handle in (parent.author.id, *parent.targets) if handle != me}]
    if parent.audience_kind == "agent":
        return [{f"agent:{handle}" for handle in parent.targets}]
    return [{parent.audience_kind}]
