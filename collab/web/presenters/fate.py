"""What became of a message before one agent, in words. "Reached" never says understood or done."""

from __future__ import annotations

from dataclasses import dataclass

from messaging.domain import reason
from messaging.transcript.view import DeliveryView, MessageView

#: What is said of a delivery that waits, by why it does.
WAITING = {
    "away": "Waiting, {agent} is away, it gets this when it is back",
    "busy": "Waiting, {agent} is busy",
    "edited": "Waiting for {agent}, with the edited text",
}


@dataclass(frozen=True, slots=True)
class Fate:
    """The live words of one delivery: a mark, a sentence, perhaps its time, the answer and what can be done."""

    mark: str
    words: str
    timed: bool = False
    answer: str = ""
    again: str = ""


def fate(delivery: DeliveryView, message: MessageView) -> Fate:
    """The words for a delivery as it stands."""
    name = delivery.agent_name
    match delivery.disposition:
        case "accepted" | "queued":
            return Fate("waiting", _waiting(delivery, message))
        case "steering_requested":
            return _steering(delivery)
        case "delivered":
            return Fate("reached", f"Reached {name}", timed=True)
        case "responded":
            return Fate("answered", "Answered", answer=answer_anchor(message.id, delivery.agent))
        case "too_late":
            return Fate("ended", f"{name} had already finished", again="Send again")
        case "superseded":
            return Fate("ended", _superseded(delivery))
        case "rejected":
            return Fate("trouble", f"Refused{_because(delivery)}")
    return _failed(delivery)


def answer_anchor(message: str, agent: str) -> str:
    """The id of the place on the page where an agent's answer to a message stands."""
    return f"answer-{message}-{agent}"


def _waiting(delivery: DeliveryView, message: MessageView) -> str:
    name = delivery.agent_name
    if delivery.purpose == "context":
        return f"{name} gets this with the next question"
    if message.audience_kind == "everyone":
        return f"{name} gets this when it next listens"
    # Replaced, not formatted: a name may hold braces.
    return WAITING.get(delivery.reason, "Waiting for {agent}").replace("{agent}", name)


def _steering(delivery: DeliveryView) -> Fate:
    if delivery.reason == "uncertain":
        return Fate("trouble", "May have arrived; not sent again by itself", again="Send again?")
    return Fate("waiting", f"{delivery.agent_name} gets this at its next step")


def _superseded(delivery: DeliveryView) -> str:
    return "Replaced by the edited text" if delivery.reason == "edited" else "Withdrawn"


def _failed(delivery: DeliveryView) -> Fate:
    if delivery.retryable:
        return Fate("waiting", f"Not reached{_because(delivery)}, trying again")
    return Fate("trouble", f"Not reached{_because(delivery)}", again="Send again")


def because(code: str, agent: str) -> str:
    """The reason behind a colon, for people; nothing where its code is not one of those that have words."""
    words = reason.words(code, agent)
    return f": {words}" if words else ""


def _because(delivery: DeliveryView) -> str:
    return because(delivery.reason, delivery.agent_name)
