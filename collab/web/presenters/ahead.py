"""What will happen if somebody changes, deletes or opens a message: said before they do it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from collab.web.presenters.choice import Choice
from collab.web.presenters.company import Company
from collab.web.presenters.deeds import newest_of, waits_still, was_shown
from messaging.domain.audience import Kind
from messaging.domain.header import escape
from messaging.domain.wording import listed
from messaging.transcript.answers import Answers
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


@dataclass(frozen=True, slots=True)
class Echo:
    """What agents answered to a message that is to be taken back. `offer`: the words by which the answers are taken
    back, too, and `means` what that does; empty where the viewer may not."""

    words: str
    offer: str = ""
    means: str = ""


#: What taking an answer back along with the message does, by deed.
_MEANS = {
    "delete": ("It is deleted for people, too.", "They are deleted for people, too."),
    "hearers": (
        "It becomes people only, and no agent is given it any more.",
        "They become people only, and no agent is given them any more.",
    ),
}


def echo(found: Answers, deed: str, *, may: bool) -> Echo | None:
    """Before a deed that takes a message back: who answered it, and whether the viewer `may` take the answers back."""
    if not found:
        return None
    several = len(found.said) + len(found.coming) > 1
    done = [f"{listed(found.authors)} answered it"] if found.said else []
    busy = [f"{listed(found.at_work)} {'is' if len(found.coming) == 1 else 'are'} answering it"] if found.coming else []
    what = "the answers may repeat what it said" if several else "the answer may repeat what it said"
    words = f"{' and '.join([*done, *busy])}; {what}."
    if not may:
        return Echo(f"{words} Who moderates here can take {'them' if several else 'it'} back.")
    means = [*([_MEANS[deed][several]] if done else []), *(["What is being said is stopped."] if busy else [])]
    return Echo(words, f"Take {'these answers' if several else 'this answer'} back, too", " ".join(means))


@dataclass(frozen=True, slots=True)
class Again:
    """Whom a message is for that is sent again, in words and on the button; in general ones where it names its agents.

    `elsewhere`: it goes to another agent than it did before, or to none.
    """

    words: str = "Put this text before its agents once more?"
    agents: tuple[str, ...] = ()
    elsewhere: bool = False
    send: str = "Send again"


def before_again(message: MessageView, here: Company) -> Again:
    """What was for the active agent goes to the one that is active now."""
    if message.audience_kind != Kind.ACTIVE_AGENT or not message.deliveries:
        return Again()
    last, active = message.deliveries[-1], next((agent for agent in here.agents if agent.active), None)
    if active is None:
        return Again("It goes to nobody: the session has no active agent now.", elsewhere=True)
    if active.handle == last.agent:
        return Again(f"{active.name} gets it once more.", (active.handle,))
    before = f"{last.agent_name} got it before" if was_shown(last) else f"It was for {last.agent_name}"
    words = f"{before}; it goes to {active.name} now."
    return Again(words, (active.handle,), elsewhere=True, send=f"Send to {active.name}")


def had_reached(message: MessageView) -> str:
    """The agents that were shown it, for ever; the end of a sentence is left to the caller. Empty for none."""
    names = listed(list(dict.fromkeys(one.agent_name for one in message.deliveries if was_shown(one))))
    return f"It had reached {names}; that cannot be taken back" if names else ""


@dataclass(frozen=True, slots=True)
class Widening:
    """A new audience for a message: the composer's choice, the words of the one button, what it means; `each`: what
    it means that there are several."""

    choice: Choice
    confirm: str
    warning: str
    each: str = ""


def widenings(
    company: Company, offered: Sequence[Choice], now: str, message: MessageView | None, several: int = 0
) -> list[Widening]:
    """The audiences that a message may be given in place of `now`; none to single people, who are not all.

    message: None where it is about `several`.
    """
    return [
        Widening(
            choice,
            _confirm(choice, company, "this" if message else "these"),
            _warning(choice, message),
            _each(choice, company, several),
        )
        for choice in offered
        if choice.value != now and choice.takes_more and not choice.value.startswith("participant:")
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


def _each(choice: Choice, company: Company, several: int) -> str:
    """Each is brought for itself: each is a question of its own, with a turn and an answer of its own."""
    if several < 2:  # noqa: PLR2004 -- one is the plain case
        return ""
    if choice.value == "active_agent":
        active = next(agent.name for agent in company.agents if agent.active)
        return f"{several} messages: {active} will answer each of them."
    if choice.value.startswith("agent:"):
        return f"{several} messages: {choice.label.removeprefix('To ')} may answer each of them."
    return f"{several} messages, and no answer to any of them is expected."


def _warning(choice: Choice, message: MessageView | None) -> str:
    if choice.to_agent:
        return f"{choice.hears} What an agent has heard cannot be taken back."
    shown = had_reached(message) if message else ""
    return f"{choice.hears}{f' {shown}.' if shown else ''}"


def as_heard(text: str) -> str:
    """The text as an agent is given it, below the header of its message."""
    return escape(text)
