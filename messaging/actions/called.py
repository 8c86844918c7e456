"""Whether an agent may be called as somebody wishes: the rules of `domain.dispatch`, over a seat and its session."""

from __future__ import annotations

from dataclasses import dataclass, replace

from messaging.actions.draft import Draft, Refusal
from messaging.domain import dispatch, reason
from messaging.domain.call import offered
from messaging.domain.dispatch import BY_PERSON, MAX_TURNS, WITHIN, Mode, Origin, Place, Target
from messaging.mailbox import served
from messaging.mailbox.models import Delivery, Purpose, Seat, SeatKind, ToolCall
from messaging.mailbox.owners import works_for_owner
from messaging.roster.models import Session
from messaging.transcript.models import Message

#: The field of a request that is to be mended; the others are about how the agent is called.
_ABOUT_WHOM = frozenset({"not_available", "namespace", "source", "placement"})


@dataclass(frozen=True, slots=True)
class Known:
    """Of a session: how many side sessions it has, and whether a hosted agent is there to ask another one."""

    children: int = 0
    has_asker: bool = True

    @classmethod
    def of(cls, session: Session, mode: Mode | None, origin: Origin = BY_PERSON) -> Known:
        """As far as this mode wants to know it. An agent asks in its own turn; for a person the active agent does."""
        children = session.children.count() if mode is Mode.CHILD_SESSION else 0
        return cls(children, mode not in WITHIN or bool(origin.hops) or has_asker(session))


def has_asker(session: Session) -> bool:
    """Whether the session's active agent is a hosted one."""
    active = {"session": session.id, "agent": session.active_agent_id, "kind": SeatKind.HOSTED, "open": True}
    return session.active_agent_id is not None and Seat.objects.filter(**active).exists()


def mode_of(draft: Draft) -> Mode:
    """How the named agents are called. A reply follows its parent and says nothing: what it says waits its turn."""
    return Mode(draft.dispatch) if draft.dispatch else Mode.FUTURE_TURN


def fault(
    seat: Seat, session: Session, mode: Mode | None, origin: Origin = BY_PERSON, known: Known | None = None
) -> str:
    """Why this seat may not be called so, a reason's code; empty where it may.

    mode: None for who is called as the session's active agent. known: of the session, where it was looked at already.
    """
    known = known or Known.of(session, mode, origin)
    active = seat.agent == session.active_agent_id and not origin.hops
    target = Target(
        seat.kind,
        dispatch.policy(seat.policy),
        usable=seat.open,
        active=active,
        granted=bool(seat.sources),
        served=served.may_be(seat.placement),
    )
    place = Place(session.namespace, session.depth, known.children, known.has_asker)
    if mode is None:
        return dispatch.fault_of_active(target, place, origin)
    return dispatch.fault(mode, target, place, origin)


def demand(seat: Seat, session: Session, mode: Mode | None, origin: Origin) -> None:
    """Raises Refusal with the reason's code where this seat may not be called so."""
    code = fault(seat, session, mode, origin)
    if code:
        words = reason.words(code, seat.name)
        field = "audience" if code in _ABOUT_WHOM or mode is None else "dispatch"
        raise Refusal(422, code, f"{words[:1].upper()}{words[1:]}.", field)


def origin_of(draft: Draft, shown: Delivery | None, seat: Seat | None) -> Origin:
    """How far what an agent says is from a person's word; a person's own is where every count begins.

    shown: its own delivery of what it replies to; otherwise it is taken to react to the newest it was shown.
    """
    if draft.origin is not None:
        return draft.origin
    if draft.author.kind != "agent":
        return BY_PERSON
    # A reply follows its parent and asks nobody.
    own = dispatch.asks(seat.policy) if seat is not None and draft.dispatch else None
    last = shown or _newest(seat)
    return replace(after(last), depth=0, asks=own) if last else Origin(hops=1, asks=own)


def after(asked: Delivery) -> Origin:
    """Of what an agent says on what it was asked: one turn further from the person whose word led there."""
    root = asked.root or asked.message
    led_to = Delivery.objects.filter(root=root, hops__gt=0, purpose=Purpose.INPUT)
    return Origin(asked.hops + 1, asked.depth, root=root, turns=led_to[:MAX_TURNS].count())


def is_offered(call: ToolCall) -> bool:
    """Whether the agent that called a tool may call it, by its own policy as it is now; what a person wished, it may.

    The process of agents offers no other. The house does not take its word for it.
    """
    owners = works_for_owner(call.turn.seat, call.turn.input)
    return is_wished(call) or offered(call.turn.seat.policy, call.name, owners=owners)


def is_wished(call: ToolCall) -> bool:
    """Whether it is what a person had the agent do: no tool of the agent's own is used for it."""
    asked = call.turn.input
    wished = (asked.dispatch, {"agent": asked.consults, "text": asked.text})
    return bool(asked.consults) and (call.name, call.arguments) == wished


def asks(row: Delivery) -> frozenset[str] | None:
    """The modes in which whoever wrote what waits may call others, as it is now; None: no narrower rule."""
    if row.author_kind != "agent" or not row.dispatch:
        return None
    seat = Seat.objects.filter(session=row.seat.session, handle=row.author).first()
    if seat is None:
        return None
    # An answer to who asked by name says a mode as well, and asks nobody.
    calls = ToolCall.objects.filter(turn__seat=seat, message=row.message).select_related("turn__seat", "turn__input")
    call = calls.first()
    if call is None:
        is_answer = Message.objects.filter(id=row.message, turn__isnull=False).exists()
        return None if is_answer else dispatch.asks(seat.policy)
    return frozenset({row.dispatch}) if is_offered(call) else frozenset()


def _newest(seat: Seat | None) -> Delivery | None:
    rows = Delivery.objects.filter(seat=seat, number__isnull=False).order_by("-number")
    return rows.first() if seat is not None else None
