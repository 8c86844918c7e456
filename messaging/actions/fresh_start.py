"""Starts a session's agents afresh: they look back no further than this moment; people still see everything."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Q

from messaging.actions import audit
from messaging.actions.announce import announce
from messaging.actions.clear import go_on
from messaging.actions.draft import Refusal
from messaging.actions.end_turns import lock_running, lock_seats
from messaging.actions.halt import HOSTED, asked_by, halt
from messaging.actions.record import record
from messaging.actions.withdraw import withdraw
from messaging.domain.audit import Verb
from messaging.domain.capability import Capability, reaches_others
from messaging.domain.header import one_line
from messaging.domain.wording import listed
from messaging.journal import clock as clocks
from messaging.journal.clock import Held
from messaging.mailbox.models import Purpose, Seat
from messaging.roster import access
from messaging.roster.access import Viewer
from messaging.roster.models import Session

_SAID = "{who} started {agents} afresh. Nothing said before goes along with a later question; people still see it all."


@transaction.atomic
def fresh_start(who: Viewer, session: Session) -> bool:
    """Stops first, as `stop` does, and answers whether anything ran. Context that waits is taken back.

    Raises Forbidden, Hidden, or Refusal: 409 `busy` where the agent works for somebody whom the caller may not stop,
    422 `no_agent` where no hosted agent is.
    """
    held = clocks.lock([session.id])[session.id]
    session = Session.objects.get(id=session.id)
    access.demand(who, session, Capability.STOP)
    access.demand(who, session, Capability.POST_AGENT)
    seats = lock_seats(held, HOSTED)
    present = [seat for seat in seats if seat.open]
    if not present:
        raise Refusal(422, "no_agent", "Nobody is here to be started afresh: the session has no hosted agent.")
    if not reaches_others(access.role(who, session)):
        _not_anothers(who, seats)
    halted = halt(held, who, seats, turns_of=Q(), input_of=asked_by(who))
    _forget(held, who, present)
    audit.note(Verb.FRESH_START, who, session.id, agents=[seat.handle for seat in present])
    names = listed([one_line(seat.name) for seat in present], at_most=len(present))
    announce(held, _SAID.replace("{agents}", names).replace("{who}", one_line(who.name)))
    go_on(held)
    return bool(halted.turns)


def _not_anothers(who: Viewer, seats: Sequence[Seat]) -> None:
    if lock_running(seats, ~asked_by(who, "input__")):
        raise Refusal(409, "busy", "The agent works for somebody else right now. Try again when it has answered.")


def _forget(held: Held, who: Viewer, seats: Sequence[Seat]) -> None:
    """What is numbered up to now is in no later request, and what was to be told along with one is not told."""
    untold = withdraw(Q(seat__in=seats, purpose=Purpose.CONTEXT), who.handle, "fresh_start")
    record(held, [step for _, step in untold])
    for seat in seats:
        seat.fresh_from = seat.shown
        seat.save(update_fields=["fresh_from"])
