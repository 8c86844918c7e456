"""The answer of a check, and how a mended thing is told from one that was well."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum


class Verdict(StrEnum):
    """How it stands with one thing."""

    OK = "ok"
    MENDED = "mended"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that was looked at. `words` of a failure end in what to do."""

    what: str
    verdict: Verdict
    words: str

    def __str__(self) -> str:
        return f"{self.verdict:<7} {self.what:<16} {self.words}"


def ok(what: str, words: str) -> Line:
    """A thing that is as it should be."""
    return Line(what, Verdict.OK, words)


def failed(what: str, words: str) -> Line:
    """A thing that is not."""
    return Line(what, Verdict.FAILED, words)


def bad(lines: Iterable[Line]) -> list[str]:
    """Return what failed."""
    return [line.what for line in lines if line.verdict is Verdict.FAILED]


def mended(look: Callable[[], list[Line]], mend: Callable[[], None], *, fix: bool) -> list[Line]:
    """Look; where something failed and may be mended, mend and look again. What is well only now was mended."""
    before = look()
    if not (fix and bad(before)):
        return before
    mend()
    failing = set(bad(before))
    return [
        replace(line, verdict=Verdict.MENDED) if line.verdict is Verdict.OK and line.what in failing else line
        for line in look()
    ]
