"""The steps of a message before an agent, for those who ask how it came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from collab.web.presenters.fate import because
from messaging.transcript.view import HistoryRow, MessageView

_STEPS = {
    "accepted": "Stored and addressed to {agent}",
    "queued": "Waiting for {agent}",
    "steering_requested": "On its way into the running turn of {agent}",
    "delivered": "Reached {agent}",
    "responded": "{agent} answered",
    "rejected": "Refused",
    "superseded": "Withdrawn before {agent} got it",
    "too_late": "{agent} had already finished",
    "failed": "Did not reach {agent}",
}
#: Who acts by itself in every trail; naming it would tell nothing.
_OURSELVES = ("house", "agents", "")


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the trail."""

    at: datetime
    words: str
    actor: str


def trail(history: Sequence[HistoryRow], message: MessageView, agent: str = "") -> list[Step]:
    """Every step in order, with its time and who caused it; of one agent, if one is named."""
    names = {delivery.agent: delivery.agent_name for delivery in message.deliveries}
    wanted = [row for row in history if agent in ("", row.agent)]
    return [Step(row.at, _words(row, names.get(row.agent, row.agent)), _actor(row, message)) for row in wanted]


def _words(row: HistoryRow, name: str) -> str:
    words = _STEPS.get(row.state, row.state.replace("_", " ").capitalize()).format(agent=name)
    return f"{words}{because(row.reason, name)}"


def _actor(row: HistoryRow, message: MessageView) -> str:
    """Who caused a step, where the step does not say it already."""
    if row.actor in (*_OURSELVES, row.agent) or row.state == "queued":
        return ""
    return message.author.name if row.actor == message.author.id else row.actor
