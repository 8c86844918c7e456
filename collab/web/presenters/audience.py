"""Who hears a message, as a sign and in words. Colour never says it alone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from collab.web.presenters.ways import on_agents_message, on_message
from messaging.domain.dispatch import WITHIN
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
    """A picture, its tone and the words that stand beside it. `card`: they are the title of a card with the text in it.

    `asks`: it is what an agent asks another one within its turn, which waits for the answer.
    """

    icon: str
    tone: Tone
    words: str
    card: bool = False
    asks: bool = False


def sign(message: MessageView) -> Sign:
    """The sign on a message. It does not depend on who looks: "and you" is put in by the reader's own page."""
    match message.audience_kind:
        case "participants":
            return Sign("ear-struck", Tone.PEOPLE, "People only")
        case "active_agent":
            return Sign("ear-open", Tone.AGENT, f"To {_agents(message)}, everyone here sees it")
        case "agent":
            return _by_name(message)
        case "participant":
            return Sign("two-heads", Tone.DIRECT, f"Only {listed([*_targets(message), message.author.name])}")
        case "everyone":
            return Sign("ear-ring", Tone.AGENT, _everyone(message))
        case _:
            return Sign("square", Tone.HOUSE, "from Earshot")


def _by_name(message: MessageView) -> Sign:
    """What has to do with two agents, and what opens a side session, is a card; a deleted message is none."""
    within, shown = message.dispatch in WITHIN, message.deleted_at is None
    if within and message.author.kind == "agent":
        answer = message.answers is not None
        icon, words = on_agents_message(message.dispatch, _agents(message), is_answer=answer)
        return Sign(icon, Tone.AGENT, words, shown, shown and not answer)
    if within:
        icon, words = on_message(message.dispatch, listed(_targets(message)), _asker(message))
    else:
        icon, words = on_message(message.dispatch, _agents(message))
    return Sign(icon, Tone.AGENT, words, shown and bool(within or message.child))


def _asker(message: MessageView) -> str:
    """Before whom a person's wish lies that it ask another agent; sent again, it may be another one than at first."""
    return message.deliveries[-1].agent_name if message.deliveries else "the agent"


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
