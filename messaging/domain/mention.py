"""Names in a text: `@handle`. They decide nothing; at most somebody is told that a name reached nobody."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from messaging.domain.handle import key

_NAMED = re.compile(r"(?<![\w@./-])@([A-Za-z0-9_-]{1,64})")


def named(text: str, handles: Iterable[str]) -> list[str]:
    """Those of these handles that the text names, in their order; however they are spelled there."""
    said = {key(word) for word in _NAMED.findall(text)} if "@" in text else set()
    return [handle for handle in handles if key(handle) in said] if said else []


def unheard(text: str, agents: Iterable[str], hearers: Collection[str]) -> list[str]:
    """The agents that the text names and that are none of its hearers."""
    return [handle for handle in named(text, agents) if handle not in hearers]
