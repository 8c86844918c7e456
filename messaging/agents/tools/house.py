"""Calls that the house settles: they reach other agents, by the same policy as everybody's words.

Nothing is done here. The turn parks, holding neither a thread nor a lease, until the house has settled its calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from messaging.agents.context import Offer
from messaging.agents.tools.base import Tool

_AGENT = {"type": "string", "description": "the agent's handle, as peers lists it"}


def _tool(name: str, description: str, what: str) -> Tool:
    schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {"agent": _AGENT, "text": {"type": "string", "description": what}},
        "required": ["agent", "text"],
        "additionalProperties": False,
    }
    return Tool(Offer(name, description, schema), None, acts=True)


TOOLS = (
    _tool(
        "consult",
        "Asks another agent of this session and waits for its answer. People see both.",
        "what you ask; the other agent sees nothing else of this conversation",
    ),
    _tool(
        "advisor",
        "Asks another agent for one short piece of advice, without its memory or tools, and waits for it.",
        "what you ask; the other agent sees nothing else",
    ),
    _tool(
        "child_session",
        "Opens a side session in which another agent works on something by itself. You are not told what comes of it.",
        "the task; the other agent sees nothing else",
    ),
    _tool(
        "send",
        "Sends a message to another agent of this session, which takes it in a turn of its own, later.",
        "the message",
    ),
)
