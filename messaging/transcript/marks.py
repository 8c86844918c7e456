"""What was done to messages after they were said, for the words beside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from uuid import UUID

from messaging.domain.disposition import Disposition
from messaging.mailbox.models import Transition
from messaging.roster.models import Person
from messaging.transcript.models import Reclassification, Tombstone
from messaging.transcript.view import MessageView


@dataclass(frozen=True, slots=True)
class Marks:
    """The last change of who may hear a message, and its deletion. `by` are names, for eyes alone.

    `before` is the stored word of the audience that it had; the rest is empty where nothing of the kind happened.
    """

    before: str = ""
    before_targets: tuple[str, ...] = ()
    reclassified_by: str = ""
    reason: str = ""
    at: datetime | None = None
    deleted_by: str = ""
    deleted_why: str = ""
    #: By delivery, who took it back; where that was not its author, who needs no naming.
    withdrawn_by: Mapping[str, str] = field(default_factory=dict)


NONE = Marks()


def of(messages: Iterable[MessageView]) -> dict[str, Marks]:
    """The marks of messages that a viewer was given, by id; at most four queries, whatever their number."""
    messages = list(messages)
    changed: dict[str, Reclassification] = {}
    if messages:
        ids = [UUID(one.id) for one in messages]
        rows = Reclassification.objects.filter(message__in=ids).select_related("by")
        changed = {str(row.message_id): row for row in rows.order_by("at")}
    gone = [UUID(one.id) for one in messages if one.deleted_at is not None]
    stones = Tombstone.objects.filter(message__in=gone).select_related("by") if gone else []
    deleted = {str(stone.message_id): stone for stone in stones}
    taken = {one.id: found for one in messages if (found := _superseded(one))}
    by = takers([delivery for found in taken.values() for delivery in found])
    keys = changed.keys() | deleted.keys() | taken.keys()
    authors = {one.id: one.author.id for one in messages}
    return {
        key: _marks(changed.get(key), deleted.get(key), _others(taken.get(key, []), by, authors[key])) for key in keys
    }


def _superseded(message: MessageView) -> list[str]:
    return [one.id for one in message.deliveries if one.disposition == Disposition.SUPERSEDED]


def takers(deliveries: Iterable[str]) -> dict[str, tuple[str, str]]:
    """Of deliveries that were taken back, the handle and the name of the person who did it."""
    wanted = [UUID(one) for one in deliveries]
    steps = Transition.objects.filter(delivery__in=wanted, after=Disposition.SUPERSEDED) if wanted else None
    by = {str(delivery): handle for delivery, handle in steps.values_list("delivery", "by")} if steps else {}
    people = Person.objects.filter(handle__spelled__in=set(by.values())) if by else Person.objects.none()
    names = dict(people.values_list("handle__spelled", "name"))
    return {delivery: (handle, names[handle]) for delivery, handle in by.items() if handle in names}


def _others(deliveries: Iterable[str], by: Mapping[str, tuple[str, str]], author: str) -> dict[str, str]:
    found = {delivery: by[delivery] for delivery in deliveries if delivery in by}
    return {delivery: name for delivery, (handle, name) in found.items() if handle != author}


def _marks(change: Reclassification | None, stone: Tombstone | None, withdrawn_by: Mapping[str, str]) -> Marks:
    marks = Marks(withdrawn_by=withdrawn_by)
    if change is not None:
        targets = tuple(change.before_targets)
        marks = replace(
            marks,
            before=change.before,
            before_targets=targets,
            reclassified_by=change.by.name,
            reason=change.reason,
            at=change.at,
        )
    return marks if stone is None else replace(marks, deleted_by=stone.by.name, deleted_why=stone.reason)
