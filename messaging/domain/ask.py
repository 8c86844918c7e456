"""Asks: one question to one person, answered once (specification C, "Questions"; decisions, "Asks and limits")."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from typing import Any

#: How long an ask stays open.
OPEN_FOR = timedelta(minutes=10)
#: Bounds of what is asked: characters of the text and of an option, and how many options there may be.
MAX_TEXT, MAX_OPTION = 2000, 80
LEAST_OPTIONS, MOST_OPTIONS = 2, 8
APPROVE, DECLINE = "Approve", "Decline"


class AskKind(StrEnum):
    """Whether somebody's word is asked for, for one call of a tool; or somebody is asked something."""

    APPROVAL = "approval"
    QUESTION = "question"


class AskState(StrEnum):
    """Open until its one answer; or else it expires, or is withdrawn with the turn that asked."""

    OPEN = "open"
    ANSWERED = "answered"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


class Surface(StrEnum):
    """Where an ask was shown to whom it names."""

    WEB = "web"
    REST = "rest"


def canonical(tool: str, arguments: Mapping[str, Any]) -> str:
    """A call in full, in the one spelling that a digest is taken of."""
    return json.dumps({"tool": tool, "arguments": arguments}, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def digest(content: str) -> str:
    """The SHA-256 of what was shown, in 64 hexadecimal digits: only what has it may run."""
    return hashlib.sha256(content.encode()).hexdigest()
