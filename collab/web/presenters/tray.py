"""What stands in the tray above the composer: what waits before agents, and what lately ended unheard."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from collab.web.presenters.company import Company
from collab.web.presenters.deeds import open_to
from collab.web.presenters.fate import Fate, fate
from messaging.transcript.view import MessageView
from messaging.transcript.waiting import Waits


@dataclass(frozen=True, slots=True)
class Line:
    """One message before one agent. `author` is named where it is not the viewer's own; `can` names deeds."""

    message: MessageView
    fate: Fate
    agent: str
    name: str
    author: str
    can: frozenset[str]


def tray(standing: Iterable[Waits], here: Company, busy: AbstractSet[str] = frozenset()) -> list[Line]:
    """The lines in their order. `busy`: the agents that are at work on something else."""
    return [_line(one, here, busy) for one in standing]


def _line(one: Waits, here: Company, busy: AbstractSet[str]) -> Line:
    message, delivery = one.message, one.delivery
    if delivery.disposition == "queued" and not delivery.reason and delivery.agent in busy:
        delivery = replace(delivery, reason="busy")
    can = frozenset(deed.name for deed in open_to(here, message))
    shown = fate(delivery, message)
    author = "" if message.is_by(here.me) else message.author.name
    return Line(message, shown, delivery.agent, delivery.agent_name, author, can)
