"""Handles: the one namespace of people and agents (decisions, "Words and ids")."""

from __future__ import annotations

import re
import unicodedata
from uuid import UUID

_HANDLE = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SLUG = re.compile(r"[A-Za-z0-9_.-]{1,64}")
RESERVED_HANDLES = frozenset(
    {"system", "everyone", "participants", "active_agent", "open", "broadcast", "house", "agents", "earshot"}
)
RESERVED_SLUGS = frozenset({"open", "broadcast"})


def is_handle(text: str) -> bool:
    """Whether `text` is spelled as a handle: letters, digits, `_` and `-`, at most 64."""
    return _HANDLE.fullmatch(text) is not None


def is_slug(text: str) -> bool:
    """Whether `text` is spelled as a session's slug. Reserved slugs are spelled well, too."""
    return _SLUG.fullmatch(text) is not None and text.strip(".") != "" and not _is_id(text)


def _is_id(text: str) -> bool:
    """Whether a slug could pose as another session's id, by which sessions are found as well."""
    try:
        UUID(text)
    except ValueError:
        return False
    return True


def key(text: str) -> str:
    """The form under which two handles collide: NFKC, case folded, `-` and `_` alike."""
    return unicodedata.normalize("NFKC", text).casefold().replace("-", "_")
