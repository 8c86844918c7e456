"""What an entry of the audit log holds besides who did what where, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from messaging.domain import reason
from messaging.domain.wording import CAPABILITIES

_NAMES = {
    "handle": "who",
    "agents": "agents",
    "before": "before",
    "after": "after",
    "capability": "wanted to",
    "code": "because",
    "most": "people",
    "what": "what",
    "turns": "turns ended",
    "default_audience": "what names nobody is heard by",
    "answers": "answers are heard by",
    "guests_public": "guests may ask",
    "active_agent": "agent that answers",
    "sources": "sources of tools",
}
_CODES = {
    "no_capability": "their role does not include it",
    "not_yours": "it was not their own",
    "refused": "the request did not come from one of our pages",
}


def told(detail: Mapping[str, Any]) -> str:
    """`wanted to: ask agents by name; because: ...`. What is empty says nothing; what was changed, the deed says."""
    pairs = detail.get("change") == "settings"
    found = [
        f"{_NAMES.get(name, name.replace('_', ' '))}: {_changed(value) if pairs else _words(value, name)}"
        for name, value in detail.items()
        if value not in ("", None, []) and name != "change"
    ]
    return "; ".join(found)


def _changed(value: Any) -> str:
    """A setting with what it was before; of a title neither is kept."""
    if not isinstance(value, list):
        return _words(value)
    before, after = (_words(one) for one in value)
    return f"{before} → {after}" if before or after else "changed"


def _words(value: Any, name: str = "") -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case None:
            return "none"
        case list():
            return ", ".join(_words(one) for one in value)
        case dict():
            return " / ".join(f"{key} may {_words(one) or 'nothing'}" for key, one in value.items())
    if name == "code":
        return _CODES.get(value) or reason.words(value) or str(value).replace("_", " ")
    return CAPABILITIES.get(value, str(value))
