"""Agents that a text names and that do not hear it: whoever wrote it is told."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from uuid import UUID

from messaging.domain import mention
from messaging.mailbox.models import Seat
from messaging.transcript.view import MessageView


def told(messages: Sequence[MessageView]) -> list[MessageView]:
    """The messages, each with the agents of its session that it names and that it reaches in no way."""
    if not any("@" in one.text for one in messages):
        return list(messages)
    agents = _agents({UUID(one.session) for one in messages})
    return [replace(one, unheard=_unheard(one, agents[UUID(one.session)])) for one in messages]


def _agents(sessions: Iterable[UUID]) -> dict[UUID, list[str]]:
    found: dict[UUID, list[str]] = defaultdict(list)
    rows = Seat.objects.filter(session__in=sessions, open=True).order_by("handle")
    for session, handle in rows.values_list("session", "handle"):
        found[session].append(handle)
    return found


def _unheard(one: MessageView, agents: Sequence[str]) -> list[str]:
    heard = {one.author.id, *one.targets, *(delivery.agent for delivery in one.deliveries)}
    return mention.unheard(one.text, agents, heard)
