"""Who hears a message, as a sign and in words. Colour never says it alone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from collab.web.presenters.ways import on_message
from messaging.domain.wording import listed
from messaging.transcript.view import MessageView


class Tone(StrEnum):
    """The colour that goes with a sign; the styles know these words."""

    PEOPLE = "people"
    AGENT = "agent"
    DIRECT = "direct"
    HOUSE = "house"


@dataclass(frozen=True, slots=True)
class Sign:
    """A picture, its tone and the words that stand beside it."""

    icon: str
    tone: Tone
    words: str


def sign(message: MessageView) -> Sign:
    """The sign on a message. It does not depend on who looks: "and you" is put in by the reader's own page."""
    match message.audience_kind:
        case "participants":
            return Sign("ear-struck", Tone.PEOPLE, "People only")
        case "active_agent":
            return Sign("ear-open", Tone.AGENT, f"To {_agents(message)}, everyone here sees it")
        case "agent":
            icon, words = on_message(message.dispatch, _agents(message))
            return Sign(icon, Tone.AGENT, words)
        case "participant":
            return Sign("two-heads", Tone.DIRECT, f"Only {listed([*_targets(message), message.author.name])}")
        case "everyone":
            return Sign("ear-ring", Tone.AGENT, _everyone(message))
        case _:
            return Sign("square", Tone.HOUSE, "from Earshot")


def _everyone(message: MessageView) -> str:
    """An answer is told to all as well, but nobody expects one to it: the words would only be in the way."""
    if message.answers:
        return "To people and agents"
    return "To people and agents, no answer expected"


def _agents(message: MessageView) -> str:
    # An edited text, or one sent again, was put before the same agent more than once.
    names = list(dict.fromkeys(delivery.agent_name for delivery in message.deliveries))
    return listed(names or _targets(message)) or "the agent"


def _targets(message: MessageView) -> list[str]:
    return list(message.target_names or message.targets)
