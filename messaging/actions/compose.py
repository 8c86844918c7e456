"""Decides what one draft becomes: who hears it, whether its author may, which seats get it. Writes nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID, uuid4

from django.utils import timezone

from messaging.actions.called import demand, fault, mode_of, origin_of
from messaging.actions.draft import Draft, Refusal
from messaging.actions.facts import Facts, Room
from messaging.actions.parent import Found, find
from messaging.actions.shape import check_bound, parsed
from messaging.actions.steering import Steering, steer
from messaging.domain import audience as audiences
from messaging.domain import budget as rules
from messaging.domain.audience import ActiveAgent, Agents, Audience, AudienceError, Everyone, People
from messaging.domain.capability import Capability, needed
from messaging.domain.compat import Resolved, resolve
from messaging.domain.dispatch import BY_PERSON, WITHIN, Mode, Origin
from messaging.mailbox import bounds
from messaging.mailbox.models import Purpose, Seat, SeatKind
from messaging.roster import budget, lookup
from messaging.roster.access import Caller
from messaging.roster.spend import SpentUp


@dataclass(frozen=True, slots=True)
class Composed:
    """A draft decided: ready to be written as it is."""

    draft: Draft
    room: Room
    resolved: Resolved
    parent: Found | None
    seats: list[tuple[Seat, Purpose]]
    #: Whom a direct message is for: id by handle, and the name.
    people: dict[str, tuple[UUID, str]]
    now: datetime
    request: str
    id: UUID = field(default_factory=uuid4)
    #: Of a message said before that is put before agents now: when it was said, in which revision, and who puts it.
    said_at: datetime | None = None
    revision: int = 1
    by: str = ""
    steering: Steering | None = None
    origin: Origin = BY_PERSON
    #: The side session that it opens, and the seat here of the agent that is to work there.
    child: tuple[UUID, Seat] | None = None

    @property
    def audience(self) -> Audience:
        """Who may hear it."""
        return self.resolved.audience

    @property
    def consults(self) -> str:
        """The handle of the agent whom the active one is to ask first, at a person's wish."""
        asks = self.draft.dispatch in WITHIN and self.draft.author.kind == "human"
        return self.targets[0] if asks else ""

    @property
    def targets(self) -> list[str]:
        """The handles that the audience names."""
        return list(self.audience.handles) if isinstance(self.audience, Agents | People) else []

    @property
    def reply_to(self) -> UUID | None:
        """The parent that it shows; an answer of a turn shows what it answers instead."""
        return self.parent.row.id if self.parent and not self.draft.answers else None


def compose(draft: Draft, facts: Facts) -> Composed:
    """All that comes after shape, session and key: parent, audience, rights, targets, bounds. Raises Refusal."""
    room = facts.room(draft)
    parent = find(draft, room)
    resolved = _resolve(draft, room, parent)
    room.demand(draft.author, needed(resolved.audience) | _needed_to_steer(draft))
    closer = draft.author.kind == "human" and not draft.carried
    check_bound(draft.text, agent_bound=closer and audiences.is_agent_bound(resolved.audience))
    check_dispatch(draft, resolved.audience)
    origin = origin_of(draft, parent.shown if parent else None, room.seats.get(draft.author.handle))
    child = _child(draft, resolved.audience, room, origin)
    seats = [] if child else seats_for(draft, resolved.audience, room, origin)
    linked = parent if resolved.threaded else None
    steering = steer(draft, resolved.audience, seats, facts.turns)
    people = _people(resolved.audience, room)
    one = Composed(
        draft, room, resolved, linked, seats, people, timezone.now(), draft.digest,
        steering=steering, origin=origin, child=child,
    )  # fmt: skip
    charge(one, facts, draft.author)
    facts.remember(draft, one.request, one.id)
    facts.pending.update(seat.id for seat, purpose in seats if purpose != Purpose.CONTEXT)
    return one


def _needed_to_steer(draft: Draft) -> frozenset[Capability]:
    return frozenset({Capability.STEER}) if draft.delivery == "steer" else frozenset()


def _resolve(draft: Draft, room: Room, parent: Found | None) -> Resolved:
    active = room.session.active_agent
    try:
        return resolve(
            parsed(draft),
            author=draft.author.handle,
            author_kind=draft.author.kind,
            parent=parent.parent if parent else None,
            default=room.session.default_audience,
            active=active.handle.spelled if active else "",
        )
    except AudienceError as error:
        raise Refusal.shape("audience", str(error), "audience_required") from error


def check_dispatch(draft: Draft, audience: Audience) -> None:
    """Dispatch is said and never inferred (`domain.dispatch`); a reply follows its parent and says none."""
    if not isinstance(audience, Agents):
        if draft.dispatch:
            raise Refusal.shape("dispatch", "goes with agent:<handle> alone")
        return
    if not draft.dispatch and draft.said is not None:
        raise Refusal.shape("dispatch", "is required with agent:<handle>", "dispatch_required")
    if draft.dispatch not in WITHIN:
        return
    if draft.author.kind == "agent" and draft.origin is None:
        raise Refusal(422, "no_mode", "An agent asks another one within a turn of its own.", "dispatch")
    if len(audience.handles) != 1:
        raise Refusal.shape("audience", "names one agent, where another one is to ask it")
    if draft.delivery != "queue":
        raise Refusal.shape("delivery", "is queue, where one agent is to ask another")


def seats_for(draft: Draft, audience: Audience, room: Room, origin: Origin = BY_PERSON) -> list[tuple[Seat, Purpose]]:
    """The seats that hear it, and what it is to each. Raises Refusal where one cannot be addressed so."""
    match audience:
        case ActiveAgent():
            return [_called(draft, _active(room), room, None, origin)]
        case Agents(handles):
            mode = mode_of(draft)
            if mode is Mode.CHILD_SESSION:
                raise Refusal.not_available("dispatch", "A side session is opened by a new message alone.")
            if mode in WITHIN and draft.author.kind == "human":
                return [_asker(draft, _named(room, handles[0]), room, mode, origin)]
            return [_called(draft, _named(room, handle), room, mode, origin) for handle in handles]
        case Everyone():
            others = [seat for seat in room.seats.values() if seat.agent != draft.author.id]
            return [(seat, Purpose.CONTEXT if seat.kind == SeatKind.HOSTED else Purpose.MAIL) for seat in others]
    return []


def _child(draft: Draft, audience: Audience, room: Room, origin: Origin) -> tuple[UUID, Seat] | None:
    """A side session with the one agent that is named. Raises Refusal."""
    if not isinstance(audience, Agents) or mode_of(draft) is not Mode.CHILD_SESSION:
        return None
    if len(audience.handles) != 1:
        raise Refusal.shape("audience", "names one agent, where a side session is opened with it")
    seat = _other_than(draft, _named(room, audience.handles[0]))
    demand(seat, room.session, Mode.CHILD_SESSION, origin)
    if draft.author.kind == "agent" and not (draft.owner or lookup.has_owner(draft.author.id)):
        raise Refusal.not_available("dispatch", "A side session of yours would belong to nobody: you have no owner.")
    return uuid4(), seat


def _asker(draft: Draft, asked: Seat, room: Room, mode: Mode, origin: Origin) -> tuple[Seat, Purpose]:
    """The active agent, whose turn begins by asking the one that is named. Raises Refusal."""
    demand(asked, room.session, mode, origin)
    return _called(draft, _active(room), room, None, origin)


def _called(draft: Draft, seat: Seat, room: Room, mode: Mode | None, origin: Origin) -> tuple[Seat, Purpose]:
    """A seat that is called, and what it is to it. A collected answer is never refused; it starts no turn instead."""
    _other_than(draft, seat)
    if draft.turn is None:
        demand(seat, room.session, mode, origin)
    if seat.kind != SeatKind.HOSTED:
        return seat, Purpose.MAIL
    over = room.books.over(seat.agent, timezone.now()) if draft.turn is not None else None
    starts = draft.starts and over is None and not fault(seat, room.session, mode, origin)
    return seat, Purpose.INPUT if starts else Purpose.CONTEXT


def _other_than(draft: Draft, seat: Seat) -> Seat:
    """Nobody writes to itself: it would be given its own words as somebody's."""
    if seat.agent == draft.author.id:
        raise Refusal.shape("audience", "names yourself", "no_such_target")
    return seat


def _active(room: Room) -> Seat:
    active = room.session.active_agent
    seat = room.seat(active.handle.spelled) if active else None
    if seat is None:
        raise Refusal(422, "no_agent", "Nobody hears this: the session has no active agent.", "audience")
    return seat


def _named(room: Room, handle: str) -> Seat:
    seat = room.seat(handle)
    if seat is None:
        raise Refusal.shape("audience", f"names {handle}, which is no agent of this session", "no_such_target")
    return seat


def _people(audience: Audience, room: Room) -> dict[str, tuple[UUID, str]]:
    if not isinstance(audience, People):
        return {}
    return {handle: _person(room, handle) for handle in audience.handles}


def _person(room: Room, handle: str) -> tuple[UUID, str]:
    found = room.person(handle)
    if found is None:
        raise Refusal.shape("audience", f"names {handle}, who is no person of this session", "no_such_target")
    return found


def charge(one: Composed, facts: Facts, who: Caller) -> None:
    """The bounds: 16 waiting inputs a hosted seat, 10,000 rows an inbox, 30 inputs a person (`who` puts it) and minute,
    and what an agent's owner lets it use up in a day.

    The answer of a turn is free of them: it was asked for. Raises Refusal.
    """
    for seat in () if one.draft.turn is not None or one.draft.charged else _started(one):
        _demand_budget(one, seat)
    for seat, purpose in one.seats:
        if one.draft.turn is None and purpose != Purpose.CONTEXT and bounds.is_full(seat, facts.pending[seat.id]):
            raise Refusal(429, "queue_full", f"{seat.name} has too much waiting already.", "audience", retry_after=10)
    if who.kind == "human" and isinstance(one.audience, ActiveAgent | Agents) and not one.draft.charged:
        try:
            facts.purse.charge(who.id, one.now)
        except SpentUp as error:
            raise Refusal(
                429, "too_fast", "That is more questions to agents than a minute takes.", retry_after=error.retry_after
            ) from error


def _started(one: Composed) -> list[Seat]:
    """The seats of those who are to begin a turn for it: here, asked by the active agent, or in its side session."""
    begun = [seat for seat, purpose in one.seats if purpose == Purpose.INPUT]
    if one.consults:
        begun.append(one.room.seats[one.consults])
    return [*begun, one.child[1]] if one.child else begun


def _demand_budget(one: Composed, seat: Seat) -> None:
    """Raises Refusal, with whose budget it is, and the seconds until there is a new one."""
    over = one.room.books.over(seat.agent, one.now)
    if over is not None:
        wait = int((budget.renews(one.now) - one.now).total_seconds()) + 1
        raise Refusal(429, rules.CODE, budget.spent_up(over, one.now), "audience", retry_after=wait)
