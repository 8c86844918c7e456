"""What became of a message before one agent, in words. "Reached" never says understood or done."""

from __future__ import annotations

from dataclasses import dataclass, replace

from collab.web.presenters.deeds import is_over, waits_still, was_shown
from messaging.domain import reason
from messaging.transcript.view import DeliveryView, MessageView

#: What is said of a delivery that waits, by why it does.
WAITING = {
    "away": "Waiting, {agent} is away, it gets this when it is back",
    "busy": "Waiting, {agent} is busy",
    "edited": "Waiting for {agent}, with the edited text",
    "idle": "Waiting, {agent} was not at work to be steered",
    "no_steering": "Waiting, {agent} cannot be steered",
    "not_yours": "Waiting, {agent} works for somebody whose turns are theirs alone",
}
#: Why what was meant to steer waits instead.
_NOT_STEERED = ("idle", "no_steering", "not_yours")
#: What is said of a delivery that was taken back, by why; any other was withdrawn.
_TAKEN_BACK = {
    "edited": "Replaced by the edited text",
    "reclassified": "Withdrawn, who hears it was changed",
    "deleted": "Withdrawn, {agent} never got it",
    "stopped": "Stopped before {agent} got it",
    "fresh_start": "Withdrawn, {agent} was started afresh",
}
#: Taken back for good: there is something newer, or nobody should hear it.
_FOR_GOOD = ("edited", "reclassified", "deleted", "fresh_start")


@dataclass(frozen=True, slots=True)
class Fate:
    """The live words of one delivery: a mark, a sentence, perhaps its time, the answer and what can be done.

    `state`: `waits` or `over`, for what can be done to the message; `old`: a later delivery stands before the same
    agent; `note`: what stays of a text that is withheld; `told`: why it waits, which nothing known later replaces.
    """

    mark: str
    words: str
    timed: bool = False
    answer: str = ""
    again: str = ""
    state: str = ""
    old: bool = False
    note: str = ""
    told: bool = False


def fate(delivery: DeliveryView, message: MessageView, by: str = "") -> Fate:
    """The words for a delivery as it stands. `by`: who took it back, if that was not its author."""
    state = "waits" if waits_still(delivery) else "over" if is_over(delivery) else ""
    newer = next((one.id for one in reversed(message.deliveries) if one.agent == delivery.agent), delivery.id)
    known = any(one.id == delivery.id for one in message.deliveries)
    told = replace(
        _fate(delivery, message, by), state=state, old=known and newer != delivery.id, note=_withheld(delivery)
    )
    return replace(told, again="") if told.old or message.deleted_at else told


def _withheld(delivery: DeliveryView) -> str:
    if not (delivery.withheld and was_shown(delivery)):
        return ""
    return f"{delivery.agent_name} is not shown this any more; what it was told stays told"


def _fate(delivery: DeliveryView, message: MessageView, by: str) -> Fate:
    name = delivery.agent_name
    match delivery.disposition:
        case "accepted" | "queued":
            return Fate("waiting", _waiting(delivery, message), told=delivery.reason in _NOT_STEERED)
        case "steering_requested":
            return _steering(delivery)
        case "delivered":
            return Fate("reached", f"Reached {name}", timed=True)
        case "responded":
            return Fate("answered", "Answered", answer=answer_anchor(message.id, delivery.agent))
        case "too_late":
            return Fate("ended", _late(delivery), again="Send again")
        case "superseded":
            return _superseded(delivery, by)
        case "rejected":
            return Fate("trouble", f"Refused{_because(delivery)}", again="Send again")
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


def _late(delivery: DeliveryView) -> str:
    if delivery.reason == "steps_used_up":
        return f"{delivery.agent_name} was already at its last step"
    return f"{delivery.agent_name} had already finished"


def _superseded(delivery: DeliveryView, by: str) -> Fate:
    again = "" if delivery.reason in _FOR_GOOD else "Send again"
    # Replaced, not formatted: a name may hold braces.
    words = _TAKEN_BACK.get(delivery.reason, "Withdrawn").replace("{agent}", delivery.agent_name)
    if by and again:
        done, _, rest = words.partition(" ")
        words = f"{done} by {by} {rest}".strip()
    return Fate("ended", words, again=again)


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
