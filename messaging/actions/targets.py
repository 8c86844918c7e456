"""Whom a caller may address in a session, and how: only what would be taken if it were posted now."""

from __future__ import annotations

from dataclasses import dataclass

from messaging.actions import called
from messaging.actions.called import Known
from messaging.actions.draft import Draft
from messaging.domain.audience import ActiveAgent, Audience, Everyone, Participants
from messaging.domain.capability import Capability, needed
from messaging.domain.dispatch import WITHIN, Mode, Origin
from messaging.mailbox.models import Delivery, Seat, SeatKind
from messaging.roster import access
from messaging.roster.access import AgentCaller, Caller, Viewer
from messaging.roster.models import Agent, Membership, Session


@dataclass(frozen=True, slots=True)
class PersonTarget:
    """Somebody who may be written to alone. `id` is the handle."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class AgentTarget:
    """An agent that may be called, by name in these `modes`; `active`: as the session's active agent."""

    id: str
    name: str
    agent_kind: str
    active: bool
    modes: list[str]


@dataclass(frozen=True, slots=True)
class Targets:
    """`audiences` are the permitted ones that name nobody."""

    audiences: list[str]
    people: list[PersonTarget]
    agents: list[AgentTarget]


def targets(who: Caller, session: Session) -> Targets:
    """Whom the caller may address here. Raises Hidden outside the session."""
    may = access.rights(who, session).capabilities
    found = _agents(who, session, may)
    active = any(one.active for one in found)
    plain: list[Audience] = [Participants(), *([ActiveAgent()] if active else []), Everyone()]
    audiences = [str(one.kind) for one in plain if needed(one) <= may]
    people = _people(who, session) if Capability.DIRECT_MESSAGE in may else []
    return Targets(audiences, people, found)


def agents(who: Caller, session: Session) -> list[AgentTarget]:
    """The agents alone that the caller may call here. Raises Hidden outside the session."""
    return _agents(who, session, access.rights(who, session).capabilities)


def _agents(who: Caller, session: Session, may: frozenset[Capability]) -> list[AgentTarget]:
    seats = _seats(who, session)
    own = Seat.objects.filter(session=session.id, agent=who.id, open=True).first()
    origin = called.origin_of(Draft(who, session.id, "", dispatch=Mode.FUTURE_TURN), None, own)
    asker = next(
        (seat for seat in seats if seat.agent == session.active_agent_id and seat.kind == SeatKind.HOSTED), None
    )
    can_ask = asker is not None and not called.fault(asker, session, None, origin)
    known = called.Known(session.children.count(), can_ask)
    here = [_agent(seat, session, origin, may, known) for seat in seats]
    return [one for one in here if one.modes or one.active]


def _seats(who: Caller, session: Session) -> list[Seat]:
    """The open seats of agents in use, but the caller's own."""
    rows = Seat.objects.filter(session=session.id, open=True).exclude(agent=who.id)
    return list(rows.filter(agent__in=Agent.objects.filter(enabled=True).values("id")).order_by("handle"))


def _agent(seat: Seat, session: Session, origin: Origin, may: frozenset[Capability], known: Known) -> AgentTarget:
    modes = [mode for mode in Mode if not called.fault(seat, session, mode, origin, known)]
    if Capability.DISPATCH_AGENT not in may:
        modes = []
    if origin.hops:
        # An agent asks another one within a turn of its own, by a tool.
        modes = [mode for mode in modes if mode not in WITHIN]
    active = seat.agent == session.active_agent_id and Capability.POST_AGENT in may
    active = active and not called.fault(seat, session, None, origin)
    return AgentTarget(seat.handle, seat.name, seat.kind, active, [str(mode) for mode in modes])


def _people(who: Caller, session: Session) -> list[PersonTarget]:
    """The session's other people; before an agent those alone who have spoken to it: it has no roster of people."""
    if isinstance(who, Viewer):
        members = access.members(who, session)
        return [PersonTarget(one.handle, one.name) for one in members if one.kind == "human" and one.id != who.id]
    return _known(who, session)


def _known(who: AgentCaller, session: Session) -> list[PersonTarget]:
    shown = Delivery.objects.filter(
        seat__session=session.id, seat__agent=who.id, number__isnull=False, withheld_at=None, author_kind="human"
    )
    names = dict(shown.order_by("number").values_list("author", "author_name"))
    here = Membership.objects.filter(session=session, left_at=None, person__handle__spelled__in=names)
    handles = here.values_list("person__handle__spelled", flat=True).order_by("person__handle__spelled")
    return [PersonTarget(handle, names[handle]) for handle in handles]
