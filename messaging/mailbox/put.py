"""Puts messages before agents. Only an agent-bound audience has a way in: the first ring."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from messaging.domain.actor import HOUSE
from messaging.domain.audience import AgentBound, is_agent_bound
from messaging.domain.dispatch import BY_PERSON, Origin
from messaging.domain.disposition import Disposition
from messaging.domain.envelope import Envelope
from messaging.mailbox.models import Delivery, Purpose, Seat, Transition
from messaging.sql import store


@dataclass(frozen=True, slots=True)
class Letter:
    """One message for one seat. Its audience is of the agent-bound types; there is no other field to smuggle by.

    `at`: when it is put, where that is later than it was said. `place`: that of the row it replaces, else a new one.
    `steers`: the running turn that is to take it at its next boundary; `late`: the reason why that one takes no more.
    `reason`: why it waits. `by`: who puts it, where that is not its author. `dispatch`: the mode in which its seat is
    called, if it is; `consults`: whom its turn is to ask first; `origin`: by how many agents' turns it came here.
    """

    seat: Seat
    message: UUID
    audience: AgentBound
    purpose: Purpose
    envelope: Envelope
    author_name: str
    text: str
    said_at: datetime
    cleared: bool
    re: UUID | None = None
    at: datetime | None = None
    revision: int = 1
    place: int | None = None
    steers: UUID | None = None
    reason: str = ""
    by: str = ""
    late: str = ""
    dispatch: str = ""
    consults: str = ""
    origin: Origin = BY_PERSON


def put(letters: Sequence[Letter]) -> list[tuple[Delivery, list[Transition]]]:
    """Writes each letter's delivery with its first steps: accepted, then queued or steering requested; or too late.

    Call it inside a transaction, with the seats' rows locked: their `placed` is counted up here. The steps
    are marked as journaled: whoever puts journals them in the same transaction.
    Raises TypeError for an audience that is not agent-bound, whatever the type checker was told.
    """
    for letter in letters:
        if not is_agent_bound(letter.audience):
            raise TypeError("only an agent-bound audience can become a delivery")
    pairs = [_rows(letter) for letter in letters]
    with store.together():
        store.create([step for _, steps in pairs for step in steps])
        store.create([delivery for delivery, _ in pairs])
        store.update(Seat, ("placed",), {letter.seat.id: (letter.seat.placed,) for letter in letters})
    return pairs


def _rows(letter: Letter) -> tuple[Delivery, list[Transition]]:
    at = letter.at or letter.said_at
    delivery = Delivery(
        id=uuid4(),
        seat=letter.seat,
        message=letter.message,
        place=_place(letter),
        revision=letter.revision,
        purpose=letter.purpose,
        author=letter.envelope.from_id,
        author_kind=letter.envelope.from_kind,
        author_name=letter.author_name,
        text="" if letter.late else letter.text,
        audience=letter.audience.kind,
        to=list(letter.envelope.to),
        on_behalf_of=letter.envelope.on_behalf_of,
        re=letter.re,
        dispatch=letter.dispatch,
        consults=letter.consults,
        hops=letter.origin.hops,
        depth=letter.origin.depth,
        root=letter.origin.root,
        said_at=letter.said_at,
        state=Disposition.STEERING_REQUESTED if letter.steers else Disposition.QUEUED,
        step=2,
        reason=letter.reason,
        turn=letter.steers,
        changed_at=at,
        cleared_at=at if letter.cleared else None,
    )
    by = letter.by or delivery.author
    steps = [_step(delivery, 1, "", Disposition.ACCEPTED, by), _last(delivery, by)]
    return delivery, [*steps, _too_late(delivery, letter.late)] if letter.late else steps


def _place(letter: Letter) -> int:
    if letter.place is not None:
        return letter.place
    letter.seat.placed += 1
    return letter.seat.placed


def _last(delivery: Delivery, by: str) -> Transition:
    step = _step(delivery, 2, Disposition.ACCEPTED, Disposition(delivery.state), by)
    step.reason, step.turn = delivery.reason, delivery.turn
    return step


def _too_late(delivery: Delivery, reason: str) -> Transition:
    """The house says so at once."""
    before, delivery.state = Disposition(delivery.state), Disposition.TOO_LATE
    delivery.step, delivery.reason = delivery.step + 1, reason
    step = _step(delivery, delivery.step, before, Disposition.TOO_LATE, HOUSE)
    step.reason, step.turn = reason, delivery.turn
    return step


def _step(delivery: Delivery, n: int, before: str, after: Disposition, by: str) -> Transition:
    return Transition(
        delivery=delivery,
        step=n,
        before=before,
        after=after,
        by=by,
        at=delivery.changed_at,
        journaled=True,
    )
