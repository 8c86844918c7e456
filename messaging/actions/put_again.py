"""Puts a message that was said before in front of agents: bounded, charged and put as a new one is."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils import timezone

from messaging.actions import parent
from messaging.actions.compose import Composed, charge
from messaging.actions.draft import Draft
from messaging.actions.letters import charge_turns, free_seats, hand_over, letters, put_letters
from messaging.actions.subject import Subject
from messaging.domain.audience import Audience
from messaging.domain.compat import Resolved
from messaging.mailbox.models import Purpose, Seat, Transition
from messaging.roster.access import Caller, caller_of, viewer_of
from messaging.transcript.models import Message


def draft_of(row: Message, said: str | list[str] | None = None, dispatch: str | None = None) -> Draft:
    """The wish that its author would have to say the same once more; dispatch: another mode than it was said in."""
    mode = row.dispatch if dispatch is None else dispatch
    return Draft(_author(row), row.session_id, row.text, said, mode, on_behalf_of=row.on_behalf_of)


def put_again(about: Subject, audience: Audience, seats: Sequence[tuple[Seat, Purpose]]) -> list[Transition]:
    """Puts its current text before the seats; the steps. Charged to who does it. Raises Refusal (409, 429)."""
    row = about.row
    one = Composed(
        draft=draft_of(row),
        room=about.room,
        resolved=Resolved(audience, to=tuple(row.to)),
        parent=parent.of(row),
        seats=list(seats),
        people={},
        now=timezone.now(),
        request="",
        id=row.id,
        said_at=row.created_at,
        revision=row.revision,
        by=about.who.handle,
    )
    about.must_not_have_grown()
    charge(one, about.facts, about.who)
    about.facts.purse.close()
    mail = letters(one, free_seats([one]))
    charge_turns(one, mail)
    about.room.books.close()
    placed = put_letters(mail)
    hand_over(placed.values())
    return placed[row.id].steps


def _author(row: Message) -> Caller:
    if row.person is not None:
        return viewer_of(row.person)
    if row.agent is not None:
        return caller_of(row.agent)
    raise TypeError("what the server says is put before nobody")
