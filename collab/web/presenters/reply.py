"""Who hears a reply, unless its author chooses otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from collab.web.presenters.choices import Choice
from messaging.transcript.view import MessageView


def audience_for(parent: MessageView, me: str, offered: Sequence[Choice]) -> str:
    """A reply to an agent goes to that agent, any other keeps its parent's class; empty where that is not offered."""
    values = {choice.value for choice in offered}
    return next((wish for wish in _wishes(parent, me) if wish in values), "")


def _wishes(parent: MessageView, me: str) -> list[str]:
    if parent.author.kind == "agent":
        return [f"agent:{parent.author.id}", "active_agent"]
    if parent.audience_kind == "participant":
        others = [handle for handle in (parent.author.id, *parent.targets) if handle != me]
        return [f"participant:{handle}" for handle in others]
    if parent.audience_kind == "agent":
        return [f"agent:{handle}" for handle in parent.targets]
    return [parent.audience_kind]
