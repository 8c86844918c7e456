"""Whether an agent may be called as somebody wishes: the rules of `domain.dispatch`, over a seat and its session."""

from __future__ import annotations

from messaging.actions.draft import Draft, Refusal
from messaging.domain import dispatch, reason
from messaging.domain.dispatch import BY_PERSON, Mode, Origin, Place, Target
from messaging.mailbox.models import Delivery, Seat
from messaging.roster.models import Session

#: The field of a request that is to be mended; the others are about how the agent is called.
_ABOUT_WHOM = frozenset({"not_available", "namespace"})


def mode_of(draft: Draft) -> Mode:
    """How the named agents are called. A reply follows its parent and says nothing: what it says waits its turn."""
    return Mode(draft.dispatch) if draft.dispatch else Mode.FUTURE_TURN


def fault(
    seat: Seat, session: Session, mode: Mode | None, origin: Origin = BY_PERSON, children: int | None = None
) -> str:
    """Why this seat may not be called so, a reason's code; empty where it may.

    mode: None for who is called as the session's active agent. children: the session's side sessions, where counted.
    """
    target = Target(
        seat.kind, dispatch.policy(seat.policy), usable=seat.open, active=seat.agent == session.active_agent_id
    )
    if children is None:
        children = session.children.count() if mode is Mode.CHILD_SESSION else 0
    place = Place(session.namespace, session.depth, children, session.active_agent_id is not None)
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
    return Origin(hops=(shown.hops if shown else _newest(seat)) + 1)


def _newest(seat: Seat | None) -> int:
    rows = Delivery.objects.filter(seat=seat, number__isnull=False).order_by("-number")
    return (rows.values_list("hops", flat=True).first() or 0) if seat is not None else 0
