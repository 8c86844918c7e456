"""Calls that the house settles: they reach other agents and people, by the same policy as everybody's words.

Nothing is done here. The turn parks, holding neither a thread nor a lease, until the house has settled its calls.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from messaging.agents.context import Offer
from messaging.agents.tools.base import Tool
from messaging.domain.ask import LEAST_OPTIONS, MAX_OPTION, MAX_TEXT, MOST_OPTIONS, OPEN_FOR
from messaging.domain.call import ASK

_AGENT = {"type": "string", "description": "the agent's handle, as peers lists it"}


def _tool(name: str, description: str, what: str) -> Tool:
    schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {"agent": _AGENT, "text": {"type": "string", "description": what}},
        "required": ["agent", "text"],
        "additionalProperties": False,
    }
    return Tool(Offer(name, description, schema), None, acts=True)


_QUESTION = Offer(
    ASK,
    "Asks one person of this session, who answers with one of the options, and waits for the answer for up to "
    f"{OPEN_FOR.total_seconds() / 60:.0f} minutes.",
    {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": f"what you ask, up to {MAX_TEXT} characters"},
            "options": {
                "type": "array",
                "items": {"type": "string", "maxLength": MAX_OPTION},
                "minItems": LEAST_OPTIONS,
                "maxItems": MOST_OPTIONS,
                "description": "what may be answered",
            },
            "person": {"type": "string", "description": "the person's handle; left out: who wrote what you work on"},
        },
        "required": ["text", "options"],
        "additionalProperties": False,
    },
)
_REPLY = Offer(
    "reply",
    "Says something at once, before your answer, to whom the answer will go. Your answer still follows.",
    {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "what you say"},
            "message": {
                "type": "integer",
                "description": "the id of the message that it replies to, from its header; left out: what you work on",
            },
        },
        "required": ["text"],
        "additionalProperties": False,
    },
)
TOOLS = (
    Tool(_QUESTION, None, acts=True),
    Tool(_REPLY, None, acts=True),
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
