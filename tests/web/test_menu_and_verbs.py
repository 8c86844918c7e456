"""What the menu offers is what the verbs do: "Send again" and "Withdraw", whatever has become of a message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import transaction
from django.utils import timezone

from collab.web import viewing
from collab.web.presenters.deeds import open_to
from messaging.actions.draft import Refusal
from messaging.actions.resend import resend
from messaging.actions.supersede import supersede
from messaging.domain.disposition import Disposition
from messaging.domain.turn import TurnState
from messaging.mailbox import turns
from messaging.mailbox.models import Delivery, Transition, Turn, Utterance
from messaging.mailbox.move import Move, move
from messaging.roster.access import Forbidden, Hidden
from messaging.transcript import read
from tests.actions.deeds import unseated
from tests.cast import person
from tests.web.scene import Scene

pytestmark = pytest.mark.django_db
#: How a message becomes what it is to the one agent that it is before.
AUDIENCES: dict[str, dict[str, str]] = {
    "input": {"said": "active_agent"},
    "context": {"said": "everyone"},
    "mail": {"said": "agent:scout", "dispatch": "future_turn"},
}
TURNS = ("none", "running", "answered", "ended")


def staged(scene: Scene, disposition: str, purpose: str, turn: str) -> str:
    """Sam's message whose newest delivery is in that state, and its turn in that one."""
    if purpose == "context":
        unseated(scene, "scout")
    message = scene.say("sam", "kumquat", **AUDIENCES[purpose])
    row = Delivery.objects.select_related("seat").get(message=message.id)
    assert row.purpose == purpose
    known = None if turn == "none" else _turn(row, turn).id
    if disposition == "accepted":
        _moved(row, "superseded")
        _accepted(row)
    for after in {"queued": [], "accepted": [], "responded": ["delivered", "responded"]}.get(
        disposition, [disposition]
    ):
        _moved(row, after)
    Delivery.objects.filter(id=row.id).update(turn=known)
    return message.id


def _moved(row: Delivery, after: str) -> None:
    row.refresh_from_db()
    assert move([Move(row.id, Disposition(row.state), Disposition(after), "house", "withdrawn")], journaled=True)


def _accepted(row: Delivery) -> None:
    """It is before the agent once more, and only accepted as yet: no row is kept so, but the table has it."""
    row.id, row.state, row.step, row.changed_at = uuid4(), "accepted", 1, timezone.now()
    row.place += 1
    Transition.objects.create(delivery=row, step=1, before="", after="accepted", by="sam", at=row.changed_at)
    row.save(force_insert=True)


def _turn(row: Delivery, state: str) -> Turn:
    now = timezone.now()
    turn = turns.begin(uuid4(), row, now)
    if state != "running":
        turns.end(turn, TurnState.FINISHED, now)
    if state == "answered":
        # Whole, and not collected yet.
        Utterance.objects.create(turn=turn, seat=row.seat, kind="answer", text="kumquat", said_at=now)
    return turn


def offered(scene: Scene, message: str) -> set[str]:
    sam = person("sam")
    running = read.running(sam, scene.session).keys()
    return {deed.name for deed in open_to(viewing.company(sam, scene.session), read.message(sam, message), running)}


def is_done(verb: Callable[[Any, UUID], Any], message: str) -> bool:
    """Whether the verb does it; whatever it did is taken back."""
    with transaction.atomic():
        try:
            verb(person("sam"), UUID(message))
        except (Refusal, Forbidden, Hidden):
            return False
        finally:
            transaction.set_rollback(True)
    return True


def answers(scene: Scene, disposition: str, purpose: str, turn: str) -> list[tuple[bool, bool]]:
    """Of "Send again" and of "Withdraw": whether it is offered, and whether it is done."""
    with transaction.atomic():
        message = staged(scene, disposition, purpose, turn)
        found = offered(scene, message)
        told = [(name in found, is_done(verb, message)) for name, verb in (("again", resend), ("withdraw", supersede))]
        transaction.set_rollback(True)
    return told


@pytest.mark.parametrize("disposition", Disposition)
def test_a_deed_is_offered_where_it_is_not_refused(scene, disposition):
    cases = {(purpose, turn): answers(scene, disposition, purpose, turn) for purpose in AUDIENCES for turn in TURNS}
    assert {case: told for case, told in cases.items() if any(is_offered != done for is_offered, done in told)} == {}


def test_the_table_sees_both_answers(scene):
    """Without it a menu that offers nothing and verbs that do nothing would agree."""
    waits = staged(scene, "queued", "input", "none")
    assert offered(scene, waits) >= {"withdraw"}
    late = staged(scene, "too_late", "input", "none")
    assert offered(scene, late) >= {"again"}
    assert is_done(resend, late)
    assert not is_done(resend, waits)
