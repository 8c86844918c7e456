"""What a batch of drafts needs to know, read together under the clocks' locks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias
from uuid import UUID

from django.db.models import Exists, OuterRef, Q

from messaging.actions.draft import Draft, Refusal
from messaging.actions.shape import parsed
from messaging.actions.steering import Turns, at_work
from messaging.domain.audience import Participants, People
from messaging.domain.capability import Capability, Role
from messaging.domain.wording import lacking
from messaging.journal import clock as clocks
from messaging.journal.clock import Held
from messaging.mailbox.models import Seat
from messaging.roster import access, budget, known, spend
from messaging.roster.access import Caller, Hidden, Viewer
from messaging.roster.budget import Books
from messaging.roster.known import Standing
from messaging.roster.models import Agent, Installation, Membership, Session
from messaging.roster.spend import Purse
from messaging.sql import find
from messaging.sql.column import Row
from messaging.sql.find import Query
from messaging.transcript.models import Message

#: Session, author, client key.
Key: TypeAlias = tuple[UUID, UUID, str]
#: Author, session as the author named it.
Name: TypeAlias = tuple[UUID, str]


@dataclass(slots=True)
class Room:
    """One session under its clock's lock."""

    clock: Held
    standing: Standing
    books: Books = field(default_factory=Books)
    #: Whether hosted agents are given nothing new for now.
    paused: bool = False

    @property
    def seats(self) -> dict[str, Seat]:
        """The session's open seats by handle, if the batch concerns any; not those of agents out of use."""
        return self.standing.seats if self.standing.seats is not None else {}

    def seat(self, handle: str) -> Seat | None:
        """An agent's open seat. Raises Refusal where the agent is out of use: it would be told nothing."""
        if handle in self.standing.shut:
            raise Refusal.not_available("audience", f"{handle} is out of use here.")
        return self.seats.get(handle)

    @property
    def session(self) -> Session:
        """The session; nobody changes it, for others read the same."""
        return self.standing.session

    def person(self, handle: str) -> tuple[UUID, str] | None:
        """A person of the session, id and name; None for anybody else."""
        if handle not in self.standing.people:
            _read_members({self.session.id: self}, Q(person__handle__spelled=handle))
        return self.standing.people.get(handle)

    def demand(self, who: Caller, capabilities: Iterable[Capability]) -> None:
        """Raises Refusal where the caller is not a member any more, or lacks one of these."""
        role = self.standing.roles.get(who.id)
        if role is None:
            raise Refusal.hidden()
        held = self.session.granted(role)
        lacks = next((wanted for wanted in sorted(capabilities) if wanted not in held), None)
        if lacks is not None:
            session = self.session.id
            raise Refusal(403, "no_capability", lacking(lacks), "audience", capability=lacks, session=session)


@dataclass(slots=True)
class Facts:
    """A batch's knowledge, by the session as each draft names it."""

    rooms: dict[UUID, Room]
    named: dict[Name, UUID]
    callers: dict[str, Caller]
    people: dict[UUID, Viewer]
    purse: Purse
    books: Books
    kept: dict[Key, tuple[UUID, str]]
    pending: Counter[UUID] = field(default_factory=Counter)
    turns: Turns = field(default_factory=dict)

    def authenticated(self, draft: Draft) -> Draft:
        """The draft with its author as they are now. Raises Refusal (401) where the credential is good for nobody."""
        if not draft.token and draft.author.kind == "agent":
            return draft
        who = self.callers.get(draft.token) if draft.token else self.people.get(draft.author.id)
        if who is None or who.id != draft.author.id:
            raise Refusal.unauthenticated()
        return draft if who == draft.author else replace(draft, author=who)

    def room(self, draft: Draft) -> Room:
        """The draft's session. Raises Refusal where its author may not see it."""
        session = self.named.get(_name(draft))
        found = self.rooms.get(session) if session is not None else None
        if found is None or found.session.closed_at is not None or draft.author.id not in found.standing.roles:
            raise Refusal.hidden()
        return found

    def repeat(self, draft: Draft) -> UUID | None:
        """The message already kept under the draft's key. Raises Refusal (409) where it was another request."""
        room = self.room(draft)
        if not draft.client_key:
            return None
        found, request = self.kept.get((room.session.id, draft.author.id, draft.client_key), (None, ""))
        if found is not None and request != draft.digest:
            raise Refusal(409, "key_conflict", "This client_key was used for another request.", "client_key")
        return found

    def remember(self, draft: Draft, request: str, message: UUID) -> None:
        """For the drafts that follow in the same batch."""
        if draft.client_key:
            self.kept[self.room(draft).session.id, draft.author.id, draft.client_key] = (message, request)


def gather(drafts: Sequence[Draft]) -> Facts:
    """Reads what the drafts need. Locks, in this order: spending, clocks, seats, budgets."""
    named = _named(drafts)
    spending = {draft.author.id for draft in drafts if draft.author.kind == "human" and _may_be_input(draft)}
    seated = {named[_name(draft)] for draft in drafts if _name(draft) in named and _needs_seats(draft)}
    spend.open_for(spending)
    # In this order: what is read after the clocks are locked is there as long as they are.
    spends, locked, epoch, own, agents, counters = find.answers(
        spend.locking(spending),
        clocks.locking(set(named.values())),
        Installation.epoch_query(),
        *_keys(drafts, named),
        find.lock(Seat, ("session",), [(one,) for one in sorted(seated)], ("id", "placed", "shown")),
    )
    held, house = clocks.held(locked), Installation.epoch_in(epoch)
    callers = known.callers({draft.token for draft in drafts if draft.token}, house)
    without = {draft.author.id for draft in drafts if draft.author.kind == "human" and not draft.token}
    people = known.people(without, house)
    standings = known.standings({key: (clock.epoch, house) for key, clock in held.items()})
    paused = Installation.paused_in(epoch)
    rooms = {key: Room(held[key], standing, paused=paused) for key, standing in standings.items()}
    _read_authors(rooms, named, drafts)
    books = _read_seats([rooms[key] for key in seated if key in rooms], counters)
    kept = _kept((*own, *agents))
    turns = _turns(rooms, named, drafts)
    return Facts(rooms, named, callers, people, Purse.holding(spending, spends), books, kept, turns=turns)


def _name(draft: Draft) -> Name:
    return draft.author.id, str(draft.session)


def _named(drafts: Sequence[Draft]) -> dict[Name, UUID]:
    """The session that each draft means, of those that its author may see."""
    named: dict[Name, UUID] = {}
    for draft in drafts:
        name = _name(draft)
        if name in named:
            continue
        try:
            named[name] = _remembered(draft) or access.session(draft.author, draft.session).id
        except Hidden:
            continue
    return named


def _remembered(draft: Draft) -> UUID | None:
    """A session named by its id, whose member the author was: under the lock it is seen whether that still stands."""
    try:
        session = draft.session if isinstance(draft.session, UUID) else UUID(draft.session)
    except ValueError:
        return None
    return session if known.is_member(session, draft.author.id) else None


def _may_be_input(draft: Draft) -> bool:
    return not isinstance(parsed(draft), Participants | People)


def _needs_seats(draft: Draft) -> bool:
    """A person's word to people concerns no seat."""
    return draft.author.kind == "agent" or _may_be_input(draft)


def _read_authors(rooms: dict[UUID, Room], named: dict[Name, UUID], drafts: Sequence[Draft]) -> None:
    """Roles of the authors and the people whom drafts name, as far as they are not known: one query at most."""
    who: set[UUID] = set()
    handles: set[str] = set()
    for draft in drafts:
        session = named.get(_name(draft))
        room = rooms.get(session) if session is not None else None
        if room is None:
            continue
        if draft.author.id not in room.standing.roles:
            who.add(draft.author.id)
        said = parsed(draft)
        if isinstance(said, People):
            handles |= set(said.handles) - room.standing.people.keys()
    if who or handles:
        _read_members(rooms, Q(person__in=who) | Q(agent__in=who) | Q(person__handle__spelled__in=handles))


def _read_members(rooms: dict[UUID, Room], wanted: Q) -> None:
    rows = Membership.objects.filter(wanted, session__in=rooms, left_at=None).select_related("person__handle")
    for row in rows:
        standing = rooms[row.session_id].standing
        member = row.person_id or row.agent_id
        if member is not None:
            standing.roles[member] = Role(row.role)
        if row.person is not None:
            standing.people[row.person.handle.spelled] = (row.person.id, row.person.name)


def _read_seats(rooms: Sequence[Room], counters: Iterable[Row]) -> Books:
    """The open seats of these rooms, with their counters as they stand under their locks; and what they may use up."""
    unknown = {room.session.id: room for room in rooms if room.standing.seats is None}
    found: dict[UUID, dict[str, Seat]] = {key: {} for key in unknown}
    shut: dict[UUID, set[str]] = {key: set() for key in unknown}
    in_use = Exists(Agent.objects.filter(id=OuterRef("agent"), enabled=True))
    for seat in Seat.objects.filter(session__in=unknown, open=True).annotate(in_use=in_use) if unknown else ():
        if seat.in_use:
            found[seat.session][seat.handle] = seat
        else:
            shut[seat.session].add(seat.handle)
    budgets = budget.of({seat.agent for seats in found.values() for seat in seats.values()}) if found else {}
    # Others share what is remembered: nothing half read may stay there.
    for key, room in unknown.items():
        room.standing.budgets = {one.agent: budgets[one.agent] for one in found[key].values() if one.agent in budgets}
        room.standing.seats, room.standing.shut = found[key], shut[key]
    seats = {seat.id: seat for room in rooms for seat in room.seats.values()}
    for key, placed, shown in counters:
        if key in seats:
            seats[key].placed, seats[key].shown = placed, shown
    books = Books.holding({agent: one for room in rooms for agent, one in room.standing.budgets.items()})
    for room in rooms:
        room.books = books
    return books


def _turns(rooms: Mapping[UUID, Room], named: Mapping[Name, UUID], drafts: Sequence[Draft]) -> Turns:
    """What runs in the rooms where somebody wants to steer."""
    steered = {named.get(_name(draft)) for draft in drafts if draft.delivery == "steer"}
    seats = [seat.id for key, room in rooms.items() if key in steered for seat in room.seats.values()]
    return at_work(seats) if seats else {}


def _keys(drafts: Sequence[Draft], named: dict[Name, UUID]) -> list[Query]:
    """What was posted before under the drafts' keys: a question for people's, one for agents'."""
    wanted: dict[str, list[Key]] = {"person": [], "agent": []}
    for draft in drafts:
        if draft.client_key and _name(draft) in named:
            column = "person" if draft.author.kind == "human" else "agent"
            wanted[column].append((named[_name(draft)], draft.author.id, draft.client_key))
    return [_posted("person", wanted["person"]), _posted("agent", wanted["agent"])]


def _kept(rows: Iterable[Row]) -> dict[Key, tuple[UUID, str]]:
    return {(session, author, key): (message, request) for session, author, key, message, request in rows}


def _posted(column: str, keys: Sequence[Key]) -> Query:
    by = ("session", column, "client_key")
    return find.select(Message, by, keys, (*by, "id", "request"))
