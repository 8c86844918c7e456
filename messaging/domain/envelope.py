"""Who speaks, for whom, to whom: the fields the server stamps on every message (specification A, "The fields").

The line form of the same fields (the signal wire) is another matter and lives at the door.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

_ID = re.compile(r"[A-Za-z0-9_@.,:/#*-]{1,200}")
_RE = re.compile(r"[A-Za-z0-9_-]{1,200}")


class EnvelopeError(ValueError):
    """A field outside its value class; `field` names it."""

    def __init__(self, field: str) -> None:
        super().__init__("holds characters that its field does not take")
        self.field = field


class FromKind(StrEnum):
    """What spoke. It follows the credential; no parameter can claim it."""

    HUMAN = "human"
    AGENT = "agent"


@dataclass(frozen=True, slots=True)
class Envelope:
    """One message's envelope. `on_behalf_of` is the sender's claim and unverified; `re` names the parent."""

    from_kind: FromKind
    from_id: str
    to: tuple[str, ...] = ()
    on_behalf_of: str = ""
    re: str = ""

    def __post_init__(self) -> None:
        for field, values in (("from_id", (self.from_id,)), ("to", self.to), ("on_behalf_of", (self.on_behalf_of,))):
            if any(value and not _ID.fullmatch(value) for value in values):
                raise EnvelopeError(field)
        if self.re and not _RE.fullmatch(self.re):
            raise EnvelopeError("re")
