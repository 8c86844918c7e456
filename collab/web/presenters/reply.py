"""Who hears a reply, unless its author chooses otherwise."""

from __future__ import annotations

from collections.abc import Sequence

from collab.web.presenters.choice import AND, Choice
from messaging.transcript.view import MessageView


def audience_for(parent: MessageView, me: str, offered: Sequence[Choice]) -> str:
    """A reply to an agent goes to that agent, one to a direct message to all who have it, any other keeps its
    parent's class. Of several, those who can still be spoken to; empty where nobody can."""
    open_to_it = [choice for choice in offered if choice.takes_more]
    agent = _agent(parent)
    if agent:
        return next((choice.value for choice in open_to_it if choice.agent == agent), "")
    wish = _wish(parent, me)
    return AND.join(choice.value for choice in open_to_it if choice.value in wish)


def _agent(parent: MessageView) -> str:
    """The one agent that a reply is for: whether it is asked by name or as the active one makes no difference."""
    if parent.author.kind == "agent":
        return parent.author.id
    return parent.targets[0] if parent.audience_kind == "agent" and len(parent.targets) == 1 else ""


def _wish(parent: MessageView, me: str) -> set[str]:
    if parent.audience_kind == "participant":
        return {f"participant:{handle}" for handle in (parent.author.id, *parent.targets) if handle != me}
    if parent.audience_kind == "agent":
        return {f"agent:{handle}" for handle in parent.targets}
    return {parent.audience_kind}
