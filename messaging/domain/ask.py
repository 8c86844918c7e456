"""Asks: one question to one person, answered once (specification C, "Questions"; decisions, "Asks and limits")."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from messaging.domain.table import Table
from messaging.domain.unseen import bare

#: How long an ask stays open.
OPEN_FOR = timedelta(minutes=10)
#: Bounds of what is asked: characters of the text and of an option, and how many options there may be.
MAX_TEXT, MAX_OPTION = 2000, 80
LEAST_OPTIONS, MOST_OPTIONS = 2, 8
APPROVE, DECLINE = "Approve", "Decline"
#: What a call waits for that needs somebody's word: the reason of its row meanwhile.
APPROVAL = "approval"
#: Questions that an agent may have open in one session before it may ask another one outside of a turn.
MOST_OPEN = 16


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


_S = AskState
TABLE = Table(
    "ask",
    {
        "": (_S.OPEN,),
        _S.OPEN: (_S.ANSWERED, _S.EXPIRED, _S.WITHDRAWN),
        _S.ANSWERED: (),
        _S.EXPIRED: (),
        _S.WITHDRAWN: (),
    },
)


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


@dataclass(frozen=True, slots=True)
class Standing:
    """An ask as it stands: what an answer is held against."""

    state: str
    options: Sequence[str]
    digest: str
    expires_at: datetime


def is_open(standing: Standing, now: datetime) -> bool:
    """Whether it may still be answered. Its time is over at `expires_at`, whether somebody has noted that or not."""
    return standing.state == AskState.OPEN and now < standing.expires_at


def fault(standing: Standing, choice: str, now: datetime, *, shown: bool, seen: str = "") -> str:
    """Why an answer does not count, a word for programs; empty where it does.

    shown: on the surface by which it came. seen: the digest of what the person had before them, where they say so.
    """
    if not is_open(standing, now):
        return "closed"
    if not shown:
        return "not_shown"
    if seen and seen != standing.digest:
        return "conflict"
    return "" if choice in standing.options else "bad_choice"


def fault_of_question(text: object, options: object) -> tuple[str, str] | None:
    """The field of a question that cannot be asked, and why; None where it can."""
    if not isinstance(text, str) or not text.strip() or len(text) > MAX_TEXT:
        return "text", f"holds between 1 and {MAX_TEXT} characters"
    if not isinstance(options, list) or not all(isinstance(one, str) and one.strip() for one in options):
        return "options", "are texts that are not empty"
    if not LEAST_OPTIONS <= len(options) <= MOST_OPTIONS or any(len(one) > MAX_OPTION for one in options):
        return "options", f"are {LEAST_OPTIONS} to {MOST_OPTIONS} texts of at most {MAX_OPTION} characters each"
    if any("\n" in one or "\r" in one for one in options):
        return "options", "are one line each"
    # As somebody would see and type them.
    if len({bare(one).strip().casefold() for one in options} - {""}) != len(options):
        return "options", "differ from each other"
    return None
