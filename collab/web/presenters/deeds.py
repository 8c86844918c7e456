"""What can be done to a message after it was said, and by whom.

A message is rendered once for all who see it: each deed stands there with what it takes, and the page's script shows
the viewer their own. Where the viewer is known, `open_to` says the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from collab.web.presenters.company import Company
from messaging.domain.audience import Kind, from_stored
from messaging.domain.capability import Capability, needed
from messaging.domain.disposition import OVER, WAITING, Disposition
from messaging.transcript.view import DeliveryView, MessageView

_NOTHING: frozenset[Capability] = frozenset()


@dataclass(frozen=True, slots=True)
class Deed:
    """One line of a message's menu. `own` and `others`: the capabilities that it takes of the author, and of whoever
    reaches what others said; None where they cannot do it at all. `when`: what of it must be before an agent."""

    name: str
    words: str
    own: frozenset[Capability] | None
    others: frozenset[Capability] | None = None
    when: str = ""


def deeds(message: MessageView) -> list[Deed]:
    """All that can be done to it by anybody, whatever has become of it before agents."""
    kind = message.audience_kind
    if message.deleted_at or message.author.kind == "system":
        return []
    human, direct = message.author.kind == "human", kind == "participant"
    # Whom it names makes no difference to what it takes.
    speaking = needed(from_stored(kind, ("any",) if kind in (Kind.AGENTS, Kind.PEOPLE) else ()))
    reclassify = frozenset({Capability.RECLASSIFY})
    supersede = frozenset({Capability.SUPERSEDE})
    found = [
        Deed("edit", "Edit", speaking) if human else None,
        Deed("withdraw", "Withdraw", supersede, supersede, "waits") if not _people(kind) else None,
        Deed("again", "Send again", speaking, when="over") if human and not _people(kind) else None,
        Deed("hearers", "Change who hears it", reclassify, None if direct else reclassify),
        Deed("delete", "Delete", _NOTHING, None if direct else frozenset({Capability.MODERATE})),
    ]
    return [deed for deed in found if deed is not None]


def within_reach(here: Company, message: MessageView) -> list[Deed]:
    """Those that this person may do at one time or another."""
    mine = message.is_by(here.me)
    takes = [(deed, deed.own if mine else deed.others) for deed in deeds(message)]
    return [deed for deed, needs in takes if needs is not None and needs <= here.may and (mine or here.reaches)]


def open_to(here: Company, message: MessageView, running: AbstractSet[str] = frozenset()) -> list[Deed]:
    """Those that this person may do now. `running`: the turns that are still at work."""
    return [deed for deed in within_reach(here, message) if _now(deed, message, running)]


def _now(deed: Deed, message: MessageView, running: AbstractSet[str]) -> bool:
    newest = newest_of(message.deliveries)
    waits = any(waits_still(one) for one in newest)
    if deed.when == "waits":
        return waits
    if deed.when == "over":
        at_work = any(one.disposition == Disposition.DELIVERED and one.turn in running for one in newest)
        return not waits and not at_work and any(is_over(one) for one in newest)
    return True


def newest_of(deliveries: Iterable[DeliveryView]) -> list[DeliveryView]:
    """The last delivery before each agent; those that it took the place of say nothing any more."""
    return list({one.agent: one for one in deliveries}.values())


def waits_still(delivery: DeliveryView) -> bool:
    """Whether its agent was not shown it yet, and may be."""
    return delivery.disposition in WAITING


def is_over(delivery: DeliveryView) -> bool:
    """Whether it may be put before its agent again. Of what was shown that is so once its turn has ended."""
    if delivery.disposition == Disposition.FAILED:
        return not delivery.retryable
    if delivery.disposition == Disposition.DELIVERED:
        return delivery.purpose == "input" and delivery.turn is not None
    return delivery.disposition in OVER


def was_shown(delivery: DeliveryView) -> bool:
    """Whether the agent has it, whatever it made of it."""
    return delivery.disposition in (Disposition.DELIVERED, Disposition.RESPONDED)


def _people(kind: str) -> bool:
    return kind in ("participants", "participant")
