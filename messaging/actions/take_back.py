"""Answers that are taken back along with the message that they answer: an agent may have repeated there what it said.

A part of the verbs that take a message back; it opens no transaction. Wanted: the session's clock and seats locked, as
`hold` leaves them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias

from django.db.models import Q

from messaging.actions.audit import note
from messaging.actions.end_turns import end_turns, lock_running
from messaging.actions.subject import Subject
from messaging.domain.audit import Verb
from messaging.domain.capability import Capability
from messaging.mailbox.models import Turn, Utterance
from messaging.mailbox.withhold import withhold_said
from messaging.roster import access
from messaging.roster.access import Forbidden
from messaging.transcript import answers
from messaging.transcript.answers import Answers

#: What becomes of the answers that agents gave.
Wish: TypeAlias = Literal["keep", "take_back"]
KEEP: Wish = "keep"
TAKE_BACK: Wish = "take_back"


def along(about: Subject, wish: Wish, capability: Capability, *, heard: bool = False) -> Answers:
    """The answers that are to be taken back; none where they are to be kept. `heard`: only what an agent may still see.

    Answers to one's own question are taken back by the right to do it to the question; those that answer somebody
    else's (a message may have steered another's turn) by `capability` over what others said. Raises Forbidden.
    """
    found = answers.to(about.row, heard=heard) if wish == TAKE_BACK else Answers()
    if not found.all_asked_by(about.who):
        _reaches_others(about, capability)
    return found


def _reaches_others(about: Subject, capability: Capability) -> None:
    try:
        access.demand(about.who, about.room.session, capability, own=False)
    except Forbidden as error:
        words = "An answer to it answers somebody else's question, too; who moderates here can take that one back."
        raise Forbidden("not_yours", words, capability, about.room.session.id) from error


def hush(about: Subject, found: Answers) -> None:
    """What was still to be said is not: running turns end at once, and what nobody has posted yet is kept back.

    Call it before any delivery is locked.
    """
    if not found.coming:
        return
    ids = [turn.id for turn in found.coming]
    note(Verb.STOPPED, about.who, about.row.session_id, about.row.id, turns=[str(turn) for turn in ids])
    running = lock_running([turn.seat for turn in found.coming], Q(id__in=ids))
    end_turns(about.room.clock, running, about.who.handle, "withheld")
    ready = list(Utterance.objects.filter(turn__in=ids, kind=Utterance.Kind.ANSWER, message=None))
    Turn.objects.filter(utterances__in=ready).update(reason="withheld")
    for row in ready:
        Utterance.objects.filter(id=row.id).update(message=row.id)
        withhold_said(row.id, row.turn_id)


def each(about: Subject, found: Answers) -> list[Subject]:
    """The answers that stand, each as what the same person does the same deed to."""
    return [replace(about, row=row) for row in found.said]


def on_record(found: Answers) -> dict[str, list[str]]:
    """What the audit log says of it beside the message; nothing where no answer was taken back with it."""
    return {"answers_taken_back": [str(row.id) for row in found.said]} if found.said else {}
