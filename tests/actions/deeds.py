"""What tests do to messages, and how they look at what became of it."""

from __future__ import annotations

from typing import Any

from messaging.actions.collect import collect
from messaging.actions.draft import Refusal
from messaging.actions.join import join
from messaging.actions.leave import leave
from messaging.actions.take import take
from messaging.domain.capability import Role
from messaging.journal.models import Entry
from messaging.mailbox.claim import claim
from messaging.mailbox.lease import Claim
from messaging.mailbox.models import Delivery
from messaging.mailbox.say import answer
from messaging.roster.access import Forbidden, Hidden
from messaging.roster.models import Agent, Membership, Person
from messaging.transcript.models import AuditEntry
from messaging.transcript.view import MessageView
from tests.cast import Room, agent


def refused(deed: Any) -> tuple[int, str]:
    """Status and code with which a deed is refused."""
    try:
        deed()
    except Refusal as refusal:
        return refusal.status, refusal.code
    except Forbidden as forbidden:
        return 403, forbidden.code
    except Hidden:
        return 404, "not_found"
    raise AssertionError("it was done")


def begun(room: Room, handle: str = "mirror") -> Claim:
    """The agent takes up its next question."""
    held = claim(room.seat(handle).id)
    assert held is not None
    collect(room.session.id)
    return held


def at_work(room: Room, who: str = "sam") -> Claim:
    """Mirror at work on somebody's question; nobody has collected anything of it yet."""
    room.say(who, "a question", "active_agent")
    held = claim(room.seat("mirror").id)
    assert held is not None
    return held


def answered(room: Room, text: str = "an answer", handle: str = "mirror") -> Claim:
    """The agent takes up its next question and answers."""
    held = begun(room, handle)
    answer(held, text)
    collect(room.session.id)
    return held


def heard_by_scout(room: Room) -> None:
    take(agent("scout"), room.session, 50)


def fates(message: MessageView) -> list[tuple[str, str, str, int]]:
    """Agent, disposition, reason and revision of each delivery, in the queue's order."""
    rows = (
        Delivery.objects.filter(message=message.id).select_related("seat").order_by("seat__handle", "place", "revision")
    )
    return [(row.seat.handle, row.state, row.reason, row.revision) for row in rows]


def put_out(room: Room, handle: str) -> None:
    leave(Membership.objects.get(session=room.session, person__handle__spelled=handle))


def made(room: Room, handle: str, role: str) -> None:
    join(room.session, Person.objects.get(handle__spelled=handle), Role(role))


def unseated(room: Room, handle: str) -> None:
    leave(Membership.objects.get(session=room.session, agent__handle__spelled=handle))


def seated(room: Room, handle: str) -> None:
    join(room.session, Agent.objects.get(handle__spelled=handle), Role.AGENT)


def journaled(room: Room) -> list[str]:
    """The kinds of all entries, in order; they number without a gap."""
    rows = list(Entry.objects.filter(session=room.session.id).order_by("seq").values_list("seq", "kind"))
    assert [seq for seq, _ in rows] == list(range(1, len(rows) + 1))
    return [kind for _, kind in rows]


def audited(message: MessageView) -> list[tuple[str, str]]:
    """Verb and actor of what is on record about a message."""
    rows = AuditEntry.objects.filter(about=message.id).order_by("at")
    return list(rows.values_list("verb", "actor"))
