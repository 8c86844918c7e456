"""Characters that are not seen, or change how others are: written out wherever somebody decides by what they see."""

from __future__ import annotations

import unicodedata

#: Controls, formats, line and paragraph separators, private and unassigned ones.
_KINDS = frozenset({"Cc", "Cf", "Zl", "Zp", "Co", "Cs", "Cn"})
#: What else Unicode has every reader leave out: joiners, fillers, variation selectors.
_IGNORED = ((0x034F, 0x034F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x3164, 0x3164), (0xFE00, 0xFE0F),
            (0xFFA0, 0xFFA0), (0xE0000, 0xE0FFF))  # fmt: skip
_KEPT = "\n\t"


def is_seen(char: str) -> bool:
    """Whether a reader sees it; a line break and a tab are seen by what they do."""
    if char in _KEPT:
        return True
    ignored = any(first <= ord(char) <= last for first, last in _IGNORED)
    return not ignored and unicodedata.category(char) not in _KINDS


def written_out(text: str) -> str:
    """The text with what cannot be seen written as its number, so that nothing hides and nothing is turned around."""
    return "".join(char if is_seen(char) else f"\\u{{{ord(char):04x}}}" for char in text)


def bare(text: str) -> str:
    """The text without what cannot be seen."""
    return "".join(char for char in text if is_seen(char))
