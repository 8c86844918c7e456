"""What the database holds after a run, as plain rows; the same from PostgreSQL and from SQLite."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.models.server import Recorded

Sql = Callable[[str], list[tuple[Any, ...]]]
KEY = re.compile(r"<(\w+)/\w+/\d+>")

_MESSAGES = """SELECT m.id, m.session_id, m.seq, m.author_kind, p.handle_id, m.text, m.audience, m.targets,
    m.client_key, m.answers_id FROM transcript_message m LEFT JOIN roster_person p ON p.id = m.person_id"""
_ENTRIES = "SELECT session, seq, kind, ref FROM journal_entry ORDER BY session, seq"
_COMMITS = """SELECT session, seq, extract(epoch FROM pg_xact_commit_timestamp(xmin)) FROM journal_entry
    ORDER BY session, seq"""
_CLOCKS = "SELECT session, seq FROM journal_clock"
_DELIVERIES = """SELECT s.session, d.id, d.message, d.purpose, d.state, d.turn
    FROM mailbox_delivery d JOIN mailbox_seat s ON s.id = d.seat_id"""
_TURNS = """SELECT s.session, t.id, d.message, t.state, t.reason,
    (SELECT count(*) FROM mailbox_attempt a WHERE a.turn_id = t.id)
    FROM mailbox_turn t JOIN mailbox_delivery d ON d.id = t.input_id JOIN mailbox_seat s ON s.id = t.seat_id"""
#: One number for each thing that somebody still has to do.
_WAITING = """SELECT
    (SELECT count(*) FROM mailbox_delivery WHERE purpose = 'input' AND state IN ('accepted', 'queued')),
    (SELECT count(*) FROM mailbox_turn WHERE state = 'running'),
    (SELECT count(*) FROM mailbox_utterance WHERE kind = 'answer' AND message IS NULL),
    (SELECT count(*) FROM mailbox_transition WHERE NOT journaled),
    (SELECT count(*) FROM mailbox_turnstep WHERE NOT journaled)"""


@dataclass(frozen=True)
class Message:
    id: str
    session: str
    seq: int
    kind: str
    author: str
    text: str
    audience: str
    key: str
    answers: str


@dataclass(frozen=True)
class Entry:
    session: str
    seq: int
    kind: str
    ref: str


@dataclass(frozen=True)
class Delivery:
    id: str
    message: str
    purpose: str
    state: str
    turn: str


@dataclass(frozen=True)
class Turn:
    """`message` is what it was asked."""

    id: str
    message: str
    state: str
    reason: str
    attempts: int


@dataclass(frozen=True)
class Facts:
    """All rows of some sessions. `commits` are seconds by session, in the order of seq; empty on SQLite."""

    messages: list[Message]
    entries: list[Entry]
    clocks: dict[str, int]
    deliveries: list[Delivery]
    turns: list[Turn]
    commits: dict[str, list[float]]


def read(sql: Sql, sessions: Sequence[str], *, commits: bool) -> Facts:
    """Reads everything of these sessions."""
    ours = {same(session) for session in sessions}
    entries = [Entry(same(session), seq, kind, same(ref)) for session, seq, kind, ref in sql(_ENTRIES)]
    return Facts(
        messages=[row for row in map(_message, sql(_MESSAGES)) if row.session in ours],
        entries=[entry for entry in entries if entry.session in ours],
        clocks={same(session): seq for session, seq in sql(_CLOCKS) if same(session) in ours},
        deliveries=[
            Delivery(same(a), same(b), c, d, same(e)) for s, a, b, c, d, e in sql(_DELIVERIES) if same(s) in ours
        ],
        turns=[Turn(same(a), same(b), c, d, e) for s, a, b, c, d, e in sql(_TURNS) if same(s) in ours],
        commits={session: times for session, times in _commits(sql).items() if session in ours} if commits else {},
    )


def waiting(sql: Sql) -> dict[str, int]:
    """What somebody still has to do, and how much of it."""
    [counts] = sql(_WAITING)
    names = ("inputs not taken", "turns that run", "answers not posted", "steps not journaled", "turns not journaled")
    return {name: number for name, number in zip(names, counts, strict=True) if number}


def same(identifier: Any) -> str:
    """An id in the one form, whichever the database keeps."""
    return str(identifier or "").replace("-", "")


def asked(requests: Sequence[Recorded], run: str) -> list[str]:
    """The key of the question in each of a run's requests to the model: it stands last. Empty where none is found."""
    last = [list(KEY.finditer(json.dumps(request.body["messages"][-1]))) for request in requests]
    return [found[-1][0] if found else "" for found in last if not found or found[-1][1] == run]


def _message(row: tuple[Any, ...]) -> Message:
    identifier, session, seq, kind, author, text, audience, targets, key, answers = row
    named = json.loads(targets) if isinstance(targets, str) else targets
    full = ":".join([audience, *named])
    return Message(same(identifier), same(session), seq, kind, author or "", text, full, key or "", same(answers))


def _commits(sql: Sql) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for session, _, at in sql(_COMMITS):
        found.setdefault(same(session), []).append(float(at))
    return found
