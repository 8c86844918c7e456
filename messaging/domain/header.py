"""The one-line header above a message wherever it is rendered for an agent (specification A, "Rendering").

Bracketed keys and values. A body line that looks like such a header is escaped, so that no text can pose as
another message or another author.
"""

from __future__ import annotations

import re
import unicodedata

# Ours, and those of `attend`, the message bus whose line format Earshot shares: agents that know it obey its headers.
_LOOKS_LIKE = re.compile(r"[\s>]*\[\s*(?:earshot|attend)\b", re.IGNORECASE)
_ODD_BREAKS = re.compile("[\x0b\x0c\r\x1c-\x1e\x85\u2028\u2029]")


def render(**tags: str) -> str:
    """The header with these tags, empty ones left out. Values come from fields of closed classes."""
    told = " ".join(f"{name}={value}" for name, value in tags.items() if value)
    return f"[earshot message {told}]"


def summary(first: int, last: int) -> str:
    """The header above what stands for a seat's numbers `first` to `last`."""
    return f"[earshot summary of={first}-{last}]"


def escape(body: str) -> str:
    """The body with a backslash before every line that a reader could take for a header."""
    lines = _ODD_BREAKS.sub("\n", body.replace("\r\n", "\n")).split("\n")
    return "\n".join(f"\\{line}" if _poses(line) else line for line in lines)


def one_line(name: str) -> str:
    """A display name that cannot leave its line nor close a bracket."""
    words = _ODD_BREAKS.sub(" ", name).replace("\n", " ").split()
    return " ".join(words).translate({ord("["): "(", ord("]"): ")"})


def _poses(line: str) -> bool:
    """Compared as a reader sees it: compatibility forms folded, invisible characters gone."""
    folded = unicodedata.normalize("NFKC", line)
    seen = "".join(char for char in folded if unicodedata.category(char) != "Cf")
    return _LOOKS_LIKE.match(seen) is not None
