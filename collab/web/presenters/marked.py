"""The quiet lines beneath a message: what was done to it, and what agents have of it all the same."""

from __future__ import annotations

from collab.web.presenters.ahead import had_reached
from collab.web.presenters.audience import sign
from collab.web.presenters.deeds import was_shown
from messaging.domain.wording import listed
from messaging.transcript.marks import Marks
from messaging.transcript.view import MessageView

_AFTER = {
    "participants": "{by} made it people only",
    "active_agent": "{by} let {agents} hear it",
    "agent": "{by} let {agents} hear it",
    "everyone": "{by} let people and agents hear it",
}
_BEFORE = {
    "participants": "Was people only",
    "active_agent": "Was for the agent",
    "everyone": "Was for people and agents",
    "participant": "Was a direct message",
}


def by_default(message: MessageView) -> str:
    """What a message means that named no audience; empty for all others."""
    if not message.compat:
        return ""
    return f"Sent without an audience; the session's default was used: {sign(message).words}"


def reclassified(message: MessageView, marks: Marks) -> str:
    """Who could hear it before, and who changed that why; empty where nobody did."""
    if not marks.before:
        return ""
    agents = listed(list(dict.fromkeys(one.agent_name for one in message.deliveries))) or "the agent"
    called = {one.agent: one.agent_name for one in message.deliveries}
    before = _BEFORE.get(marks.before) or f"Was for {listed([called.get(one, one) for one in marks.before_targets])}"
    after = _AFTER.get(message.audience_kind, "{by} changed it")
    # Replaced, not formatted: a name may hold braces.
    done = after.replace("{agents}", agents).replace("{by}", marks.reclassified_by)
    return f"{before}; {done}: {marks.reason}"


def heard_earlier(message: MessageView) -> str:
    """The agents that have an earlier text and not this one; empty for none."""
    shown = [one for one in message.deliveries if was_shown(one)]
    now = {one.agent for one in shown if one.revision == message.revision}
    names = list(dict.fromkeys(one.agent_name for one in shown if one.agent not in now))
    return f"{listed(names)} heard an earlier text" if names else ""


def kept_from_its_author(message: MessageView) -> str:
    """An agent's own words that are for people now, or gone, are not before it any more."""
    if message.author.kind != "agent" or not (message.deleted_at or message.audience_kind == "participants"):
        return ""
    return f"{message.author.name} is not shown this any more; what it said stays said"


def tombstone(message: MessageView, marks: Marks) -> str:
    """What stands in place of a deleted text."""
    other = marks.deleted_by and marks.deleted_by != message.author.name
    who = f"Deleted by {marks.deleted_by}" if other else "Deleted"
    why = f": {marks.deleted_why}" if marks.deleted_why else ""
    reached = had_reached(message) or (
        "It had reached an agent; that cannot be taken back" if message.ever_delivered else ""
    )
    return f"{who}{why}{f'. {reached}' if reached else ''}"
