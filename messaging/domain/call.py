"""Tools that models call: what may become of a call, and its bounds (promise 29: what comes back is data)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from messaging.domain.source import EVERY, source_of, tool_name

#: Calls of one model step; more are answered as refused.
MAX_CALLS = 8
#: Bytes of the arguments of one call, and of what it gives back.
MAX_ARGUMENTS, MAX_RESULT = 16 * 1024, 8 * 1024
#: How deep the arguments of a call may lie within each other: whoever is to approve it reads them laid out.
MAX_DEPTH = 16


#: The tool that asks a person.
ASK = "ask"


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


def is_too_deep(value: object, most: int = MAX_DEPTH) -> bool:
    """Whether lists and objects lie within each other deeper than so many."""
    if not isinstance(value, Mapping | list):
        return False
    within = value.values() if isinstance(value, Mapping) else value
    return most == 0 or any(is_too_deep(one, most - 1) for one in within)


class CallState(StrEnum):
    """A call runs, or waits for the house to settle it; then it is done or has failed.

    One that needs somebody's word waits for it; once approved, it may run once.
    """

    RUNNING = "running"
    WAITING = "waiting"
    APPROVED = "approved"
    DONE = "done"
    FAILED = "failed"


class Permission(StrEnum):
    """What an agent's policy says of one tool. What it does not name is not offered."""

    ALLOWED = "allowed"
    ASK = "ask"
    DENIED = "denied"
    OWNER = "owner"


def permission(policy: object, name: str) -> Permission:
    """What a policy, `{"tools": {name: permission}}`, says of a tool; of one of a source also by `source__*`."""
    tools = policy.get("tools") if isinstance(policy, Mapping) else None
    if not isinstance(tools, Mapping):
        return Permission.DENIED
    source = source_of(name)
    word = tools.get(name) or (tools.get(tool_name(source, EVERY)) if source else None)
    return Permission(word) if word in list(Permission) else Permission.DENIED


def offered(policy: object, name: str, *, owners: bool = False) -> bool:
    """Whether a tool is offered to an agent of this policy. owners: in a turn with the installation owner's rights."""
    word = permission(policy, name)
    return word in (Permission.ALLOWED, Permission.ASK) or (word is Permission.OWNER and owners)


def needs_word(policy: object, name: str) -> bool:
    """Whether somebody has to approve each call of a tool. A question to a person is one already."""
    return name != ASK and permission(policy, name) is Permission.ASK


def bounded(text: str, most: int = MAX_RESULT) -> str:
    """The text, cut where it is longer than so many bytes; that is said."""
    raw = text.encode()
    if len(raw) <= most:
        return text
    note = "\n(cut: it was longer)"
    return raw[: most - len(note)].decode(errors="ignore") + note
