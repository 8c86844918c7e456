"""Puts a message before agents once more: what failed, came too late or was withdrawn, or to have another answer.

A new delivery of the current text; what was before stays as it is.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from messaging.actions.audit import note
from messaging.actions.compose import seats_for
from messaging.actions.draft import Refusal
from messaging.actions.put_again import draft_of, put_again
from messaging.actions.record import record
from messaging.actions.subject import Subject, hold
from messaging.domain.audience import is_agent_bound
from messaging.domain.audit import Verb
from messaging.domain.capability import needed
from messaging.domain.disposition import WAITING, Disposition
from messaging.domain.wording import listed
from messaging.mailbox.models import Delivery, Purpose, Seat
from messaging.mailbox.turns import at_work
from messaging.roster.access import Viewer
from messaging.transcript.view import MessageView


@dataclass(frozen=True, slots=True)
class Resent:
    """The message with its new deliveries. `agents`: the handles of those before whom it was put now."""

    message: MessageView
    agents: list[str]


@transaction.atomic
def resend(
    who: Viewer,
    message: str | UUID,
    delivery: UUID | None = None,
    token: str = "",
    *,
    agents: Collection[str] | None = None,
) -> Resent:
    """Puts it before all seats that it is for now, or that of `delivery` alone.

    agents: the handles of those that it is meant to go to, where that was looked at: the session's active agent may be
    another by now. Raises Hidden; Forbidden; Refusal: 409 `deleted`, `still_waiting` or `conflict` (that was not the
    newest there, it would go to others, or nobody needs it again), 403 and 429 as a post.
    """
    about = hold(who, message, token)
    about.only_author()
    about.must_stand()
    audience = about.row.typed_audience
    about.room.demand(about.who, needed(audience))
    seats = seats_for(draft_of(about.row), audience, about.room) if is_agent_bound(audience) else []
    again = _lacking(about, seats, delivery)
    if not again:
        raise Refusal(409, "conflict", "No agent needs this again.")
    handles = sorted(seat.handle for seat, _ in again)
    if agents is not None and sorted(agents) != handles:
        names = listed(sorted(seat.name for seat, _ in again))
        raise Refusal(409, "conflict", f"It would go to {names} now; look at it again.", "agents")
    record(about.room.clock, put_again(about, audience, again))
    note(Verb.RESENT, about.who, about.row.session_id, about.row.id, agents=handles, revision=about.row.revision)
    return Resent(about.view(), handles)


def _lacking(about: Subject, seats: list[tuple[Seat, Purpose]], delivery: UUID | None) -> list[tuple[Seat, Purpose]]:
    """Of these seats, those that may be given it again. Raises Refusal where one has it before it still."""
    newest = _newest(about)
    if delivery is not None:
        seats = [(seat, purpose) for seat, purpose in seats if seat.id in newest and newest[seat.id].id == delivery]
        if not seats:
            raise Refusal(409, "conflict", "There is a newer delivery; look at it again.", "delivery")
    running = _running(newest)
    if any(_is_under_way(newest.get(seat.id), running) for seat, _ in seats):
        raise Refusal(409, "still_waiting", "It waits before an agent, or is being answered.")
    return [(seat, purpose) for seat, purpose in seats if _may_have(newest.get(seat.id), purpose)]


def _newest(about: Subject) -> dict[UUID, Delivery]:
    rows = Delivery.objects.filter(message=about.row.id).order_by("place", "revision")
    return {row.seat_id: row for row in rows}


def _running(newest: dict[UUID, Delivery]) -> set[UUID]:
    """The turns that run, or have an answer that nobody has collected yet."""
    turns = [row.turn for row in newest.values() if row.turn is not None]
    return set(at_work().filter(id__in=turns).values_list("id", flat=True))


def _is_under_way(row: Delivery | None, running: set[UUID]) -> bool:
    if row is None:
        return False
    return row.state in WAITING or (row.state == Disposition.DELIVERED and row.turn in running)


def _may_have(row: Delivery | None, purpose: Purpose) -> bool:
    """What was told along with something else, or lies read in an inbox, is there; a question may be asked again."""
    if row is None or row.state != Disposition.DELIVERED:
        return True
    return purpose == Purpose.INPUT and row.turn is not None
