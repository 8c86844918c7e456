"""Tools that models call: what may become of a call, and its bounds (promise 29: what comes back is data)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

#: Calls of one model step; more are answered as refused.
MAX_CALLS = 8
#: Bytes of the arguments of one call, and of what it gives back.
MAX_ARGUMENTS, MAX_RESULT = 16 * 1024, 8 * 1024


@dataclass(frozen=True, slots=True)
class Call:
    """A tool that a model calls, and its own name for the call. `arguments` is None where they could not be read."""

    call_id: str
    name: str
    arguments: Mapping[str, Any] | None


@dataclass(frozen=True, slots=True)
class Spent:
    """What a request used up, in tokens, as the model's server counted them; 0 where it did not."""

    input_tokens: int
    output_tokens: int


class CallState(StrEnum):
    """A call runs, or waits for the house to settle it; then it is done or has failed."""

    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"


class Permission(StrEnum):
    """What an agent's policy says of one tool. What it does not name is not offered."""

    ALLOWED = "allowed"
    ASK = "ask"
    DENIED = "denied"
    OWNER = "owner"


def offered(policy: object, name: str) -> bool:
    """Whether a tool is offered to an agent of this policy: `{"tools": {name: permission}}`. Else, never.

    `ask` and `owner` need somebody's word for each call, which nothing gives yet: they offer nothing.
    """
    tools = policy.get("tools") if isinstance(policy, Mapping) else None
    return isinstance(tools, Mapping) and tools.get(name) == Permission.ALLOWED


def bounded(text: str, most: int = MAX_RESULT) -> str:
    """The text, cut where it is longer than so many bytes; that is said."""
    raw = text.encode()
    if len(raw) <= most:
        return text
    note = "\n(cut: it was longer)"
    return raw[: most - len(note)].decode(errors="ignore") + note
