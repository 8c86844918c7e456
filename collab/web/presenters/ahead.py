"""What will happen if somebody changes, deletes or opens a message: said before they do it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from collab.web.presenters.choice import Choice
from collab.web.presenters.company import Company
from collab.web.presenters.deeds import newest_of, waits_still, was_shown
from messaging.domain.header import escape
from messaging.domain.wording import listed
from messaging.transcript.view import MessageView


def before_edit(message: MessageView) -> list[str]:
    """One sentence for each agent that has the old text before it, or waits for it."""
    found = []
    for one in newest_of(message.deliveries):
        if waits_still(one):
            found.append(f"{one.agent_name} has not got it yet: the new text takes its place.")
        elif was_shown(one):
            found.append(f"{one.agent_name} has read the old text; it will not read this one.")
    return found


def before_delete(message: MessageView) -> list[str]:
    """What stays, and what will not come to be."""
    found = [f"{had_reached(message)}."] if had_reached(message) else []
    waiting = [one.agent_name for one in newest_of(message.deliveries) if waits_still(one)]
    return [*found, *([f"{listed(waiting)} has not got it yet, and will not."] if waiting else [])]


def had_reached(message: MessageView) -> str:
    """The agents that were shown it, for ever; the end of a sentence is left to the caller. Empty for none."""
    names = listed(list(dict.fromkeys(one.agent_name for one in message.deliveries if was_shown(one))))
    return f"It had reached {names}; that cannot be taken back" if names else ""


@dataclass(frozen=True, slots=True)
class Widening:
    """A new audience for a message: the composer's choice, the words of the one button, what it means."""

    choice: Choice
    confirm: str
    warning: str


def widenings(company: Company, offered: Sequence[Choice], now: str, message: MessageView | None) -> list[Widening]:
    """The audiences that a message may be given in place of `now`; none to single people, who are not all.

    message: None where it is about several.
    """
    return [
        Widening(choice, _confirm(choice, company, "this" if message else "these"), _warning(choice, message))
        for choice in offered
        if choice.value != now and not choice.value.startswith("participant:")
    ]


def _confirm(choice: Choice, company: Company, what: str) -> str:
    """The words on the button repeat the audience."""
    if choice.value == "participants":
        return "Make it people only"
    if choice.value == "everyone":
        return f"Let people and agents hear {what}"
    if choice.value == "active_agent":
        return f"Let {next(agent.name for agent in company.agents if agent.active)} hear {what}"
    return f"Let {choice.label.removeprefix('To ')} hear {what}"


def _warning(choice: Choice, message: MessageView | None) -> str:
    if choice.to_agent:
        return f"{choice.hears} What an agent has heard cannot be taken back."
    shown = had_reached(message) if message else ""
    return f"{choice.hears}{f' {shown}.' if shown else ''}"


def as_heard(text: str) -> str:
    """The text as an agent is given it, below the header of its message."""
    return escape(text)
