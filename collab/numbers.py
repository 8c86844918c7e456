"""Numbers in addresses: people and programs write all kinds of things there."""

from __future__ import annotations

_MOST_DIGITS = 15


def number_of(text: str) -> int | None:
    """The number that stands there, or None for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS else None
