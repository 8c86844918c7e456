"""What a batch of drafts needs to know, read together under the clocks' locks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias
from uuid import UUID

from django.db.models import Q, QuerySet

from messaging.actions.draft import Draft, Refusal
from messaging.actions.shape import parsed
from messaging.domain.audience import Participants, People
from messaging.domain.capability import Capability, Role, granted
from messaging.journal import clock as clocks
from messaging.journal.models import Clock
from messaging.mailbox import clear
from messaging.mailbox.models import Seat
from messaging.roster import access
from messaging.roster.access import Caller, Hidden
from messaging.roster.models import Membership, Session
from messaging.roster.spend import Purse
from messaging.transcript.models import Message

#: Session, author, client key.
Key: TypeAlias = tuple[UUID, UUID, str]


@dataclass(slots=True)
class Room:
    """One session under its clock's lock. `people` are those members whom the batch needs, by handle."""

    session: Session
    clock: Clock
    roles: dict[UUID, Role] = field(default_factory=dict)
    people: dict[str, UUID] = field(default_factory=dict)
    seats: dict[str, Seat] = field(default_factory=dict)

    def person(self, handle: str) -> UUID | None:
        """A person of the session; None for anybody else. Those whom drafts name have been read already."""
        if handle not in self.people:
            rows = Membership.objects.filter(session=self.session, person__handle__spelled=handle, left_at=None)
            self.people |= {row.person.handle.spelled: row.person.id for row in _with_people(rows) if row.person}
        return self.people.get(handle)

    def demand(self, who: Caller, capabilities: Iterable[Capability]) -> None:
        """Raises Refusal where the caller is not a member any more, or lacks one of these."""
        role = self.roles.get(who.id)
        if role is None:
            raise Refusal.hidden()
        held = granted(role, guests_public=self.session.guests_public)
        lacking = next((wanted for wanted in sorted(capabilities) if wanted not in held), None)
        if lacking is not None:
            raise Refusal(403, "no_capability", f"Your role here does not include {lacking}.", "audience")


@dataclass(slots=True)
class Facts:
    """A batch's knowledge, by the session as each draft names it."""

    rooms: dict[UUID, Room]
    named: dict[tuple[UUID, str], UUID]
    purse: Purse
    kept: dict[Key, tuple[UUID, str]]
    pending: Counter[UUID] = field(default_factory=Counter)

    def room(self, draft: Draft) -> Room:
        """The draft's session. Raises Refusal where its author may not see it."""
        found = self.named.get((draft.author.id, str(draft.session)))
        if found is None:
            raise Refusal.hidden()
        return self.rooms[found]

    def repeat(self, draft: Draft) -> UUID | None:
        """The message already kept under the draft's key. Raises Refusal (409) where it was another request."""
        found, request = self.kept.get(self._key(draft), (None, ""))
        if found is not None and request != draft.digest:
            raise Refusal(409, "key_conflict", "This client_key was used for another request.", "client_key")
        return found

    def remember(self, draft: Draft, message: UUID) -> None:
        """For the drafts that follow in the same batch."""
        if draft.client_key:
            self.kept[self._key(draft)] = (message, draft.digest)

    def _key(self, draft: Draft) -> Key:
        return self.room(draft).session.id, draft.author.id, draft.client_key or ""


def _with_people(rows: QuerySet[Membership]) -> QuerySet[Membership]:
    return rows.select_related("person__handle")


def gather(drafts: Sequence[Draft]) -> Facts:
    """Reads what the drafts need. Locks, in this order: spending, clocks, seats."""
    sessions, named = _sessions(drafts)
    purse = Purse.open(draft.author.id for draft in drafts if draft.author.kind == "human" and _may_be_input(draft))
    held = clocks.lock(sessions)
    rooms = {key: Room(session, held[key]) for key, session in sessions.items()}
    _read_members(rooms, drafts)
    _read_seats(rooms)
    return Facts(rooms, named, purse, _kept(drafts, named))


def _sessions(drafts: Sequence[Draft]) -> tuple[dict[UUID, Session], dict[tuple[UUID, str], UUID]]:
    sessions: dict[UUID, Session] = {}
    named: dict[tuple[UUID, str], UUID] = {}
    for draft in drafts:
        key = (draft.author.id, str(draft.session))
        if key in named:
            continue
        try:
            found = access.session(draft.author, draft.session)
        except Hidden:
            continue
        named[key] = found.id
        sessions[found.id] = found
    return sessions, named


def _may_be_input(draft: Draft) -> bool:
    return not isinstance(parsed(draft), Participants | People)


def _read_members(rooms: dict[UUID, Room], drafts: Sequence[Draft]) -> None:
    authors = [draft.author.id for draft in drafts]
    said = [parsed(draft) for draft in drafts]
    handles = {handle for audience in said if isinstance(audience, People) for handle in audience.handles}
    wanted = Q(person__in=authors) | Q(agent__in=authors) | Q(person__handle__spelled__in=handles)
    rows = Membership.objects.filter(wanted, session__in=rooms, left_at=None)
    for row in _with_people(rows):
        room, member = rooms[row.session_id], row.person_id or row.agent_id
        room.roles |= {member: Role(row.role)} if member is not None else {}
        if row.person is not None:
            room.people[row.person.handle.spelled] = row.person.id


def _read_seats(rooms: dict[UUID, Room]) -> None:
    ids = Seat.objects.filter(session__in=rooms, open=True).values_list("id", flat=True)
    for seat in clear.lock(ids).values():
        rooms[seat.session].seats[seat.handle] = seat


def _kept(drafts: Sequence[Draft], named: dict[tuple[UUID, str], UUID]) -> dict[Key, tuple[UUID, str]]:
    wanted = [draft for draft in drafts if draft.client_key]
    if not wanted:
        return {}
    authors = [draft.author.id for draft in wanted]
    rows = Message.objects.filter(
        Q(person__in=authors) | Q(agent__in=authors),
        session__in=set(named.values()),
        client_key__in=[draft.client_key for draft in wanted],
    )
    return {
        (row.session_id, author, row.client_key or ""): (row.id, row.request)
        for row in rows
        for author in (row.person_id, row.agent_id)
        if author is not None
    }
