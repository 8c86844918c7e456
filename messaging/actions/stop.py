"""Stops agents at work, and takes back what still waits for them (decisions, "Dispositions and turns")."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q

from messaging.actions import audit
from messaging.actions.clear import go_on
from messaging.actions.end_turns import lock_seats
from messaging.actions.halt import HOSTED, asked_by, halt
from messaging.domain.audit import Verb
from messaging.domain.capability import Capability, reaches_others
from messaging.journal import clock as clocks
from messaging.roster import access
from messaging.roster.access import Viewer
from messaging.roster.models import Session

#: Every turn and all input of the session; one's own alone.
SESSION, OWN = "session", "own"


@transaction.atomic
def stop(who: Viewer, session: Session, scope: str | None = None) -> bool:
    """Ends what runs, takes back what waits, and answers whether anything ran. It never waits for an agent.

    Without a scope: the caller's own turn, or any where their role reaches others' things, and their own input.
    Raises Forbidden, or Hidden for a viewer outside.
    """
    held = clocks.lock([session.id])[session.id]
    # What was read before the lock may be stale by now.
    session = Session.objects.get(id=session.id)
    access.demand(who, session, Capability.STOP, own=scope != SESSION)
    any_turn = scope != OWN and reaches_others(access.role(who, session))
    halted = halt(
        held,
        who,
        lock_seats(held, HOSTED),
        turns_of=Q() if any_turn else asked_by(who, "input__"),
        input_of=Q() if scope == SESSION else asked_by(who),
    )
    if halted.turns or halted.taken_back:
        turns = [str(turn) for turn in halted.turns]
        audit.note(Verb.STOPPED, who, session.id, scope=scope or "", turns=turns, taken_back=halted.taken_back)
        go_on(held)
    return bool(halted.turns)
