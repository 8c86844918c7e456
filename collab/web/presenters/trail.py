"""The steps of a message, for those who ask how it came: its texts, its hearers, and before each agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from collab.web.presenters.fate import because
from messaging.domain.actor import AGENTS, HOUSE
from messaging.domain.turn import TurnState
from messaging.domain.wording import listed
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
_OURSELVES = (HOUSE, AGENTS, "")
_HEARERS = {
    "participants": "people only",
    "active_agent": "the active agent",
    "everyone": "people and agents",
    "system": "from Earshot",
}


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the trail. `text` is what a message said, `quote` why it was done, in people's words."""

    at: datetime
    words: str
    actor: str
    text: str = ""
    quote: str = ""


def trail(
    history: Sequence[HistoryRow], message: MessageView, agent: str = "", names: Mapping[str, str] | None = None
) -> list[Step]:
    """Every step in order, with its time and who caused it; of one agent, its own alone.

    names: what the session's members are called, by handle.
    """
    called = {one.agent: one.agent_name for one in message.deliveries}
    called |= {message.author.id: message.author.name, **(names or {})}
    if agent:
        history = [row for row in history if row.kind in ("disposition", "turn") and row.agent == agent]
    return [_step(row, message, called) for row in history]


def _step(row: HistoryRow, message: MessageView, called: Mapping[str, str]) -> Step:
    actor = called.get(row.actor, row.actor)
    match row.kind:
        case "revision":
            words = "Said first" if row.n == 1 else f"Edited, text {row.n}"
            return Step(row.at, words, actor, row.text)
        case "reclassification":
            words = f"Who hears it changed from {hearers(row.before, called)} to {hearers(row.after, called)}"
            return Step(row.at, words, actor, quote=row.reason)
        case "deleted":
            return Step(row.at, "Deleted", actor, quote=row.reason)
        case "turn":
            return Step(row.at, _end(row, called.get(row.agent, row.agent)), _actor(row, called))
    return Step(row.at, _words(row, called.get(row.agent, row.agent), message), _actor(row, called))


def _end(row: HistoryRow, name: str) -> str:
    if row.state == TurnState.STOPPED:
        return f"{name} was stopped and gave no answer"
    return f"{name} could not answer{because(row.reason, name)}"


def hearers(audience: str | list[str] | None, called: Mapping[str, str]) -> str:
    """An audience, as the contract writes it, inside a sentence."""
    several = [audience] if isinstance(audience, str) else audience or []
    named = [one.partition(":")[2] for one in several if ":" in one]
    if not named:
        return _HEARERS.get("".join(several), "".join(several))
    only = "only " if several[0].startswith("participant:") else ""
    return only + listed([called.get(handle, handle) for handle in named])


def _words(row: HistoryRow, name: str, message: MessageView) -> str:
    # Replaced, not formatted: a name may hold braces.
    words = _STEPS.get(row.state, row.state.replace("_", " ").capitalize()).replace("{agent}", name)
    text = f" (text {row.n})" if row.state == "delivered" and message.revision > 1 and row.n else ""
    return f"{words}{text}{because(row.reason, name)}"


def _actor(row: HistoryRow, called: Mapping[str, str]) -> str:
    """Who caused a step, where the step does not say it already."""
    if row.actor in (*_OURSELVES, row.agent) or row.state == "queued":
        return ""
    return called.get(row.actor, row.actor)
