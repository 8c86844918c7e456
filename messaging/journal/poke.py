"""Tells every web process that sessions have moved on: numbers, never content.

A lost poke loses nothing: whoever reads next reads from its own number on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias
from uuid import UUID

from django.db import transaction

CHANNEL = "earshot:pokes"


@dataclass(frozen=True, slots=True)
class Poke:
    """The session has reached `seq`; or, with `turn`, that turn has said another piece."""

    session: UUID
    seq: int = 0
    turn: UUID | None = None


#: Takes all pokes of one commit. It must not block, and may be called from any thread.
Transport: TypeAlias = Callable[[Sequence[Poke]], None]


def encode(pokes: Sequence[Poke], sender: str = "") -> bytes:
    """The payload between processes: one for each commit, whatever the number of sessions."""
    items = [[str(poke.session), poke.seq, str(poke.turn) if poke.turn else None] for poke in pokes]
    return json.dumps({"from": sender, "pokes": items}).encode()


def decode(raw: bytes) -> tuple[str, list[Poke]] | None:
    """Who sent them, and the pokes; or None for what is none."""
    try:
        data = json.loads(raw)
        pokes = [Poke(UUID(session), int(seq), UUID(turn) if turn else None) for session, seq, turn in data["pokes"]]
        return str(data["from"]), pokes
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError):
        return None


class Local:
    """Within one process: calls whoever listens."""

    def __init__(self) -> None:
        self.listeners: list[Transport] = []

    def __call__(self, pokes: Sequence[Poke]) -> None:
        """Hands the pokes to each listener."""
        for listener in tuple(self.listeners):
            listener(pokes)


local = Local()
_transport: Transport = local


def install(transport: Transport) -> None:
    """Sets how this process pokes."""
    global _transport
    _transport = transport


def after_commit(pokes: Sequence[Poke]) -> None:
    """Pokes once the transaction has committed; never where it rolls back."""
    if pokes:
        # What follows a commit must not fail it in the eyes of whoever asked for it.
        transaction.on_commit(lambda: _transport(pokes), robust=True)


def piece(session: UUID, turn: UUID) -> None:
    """Pokes at once: a turn has said another piece."""
    _transport([Poke(session, turn=turn)])
