"""What waits in the database is counted where it waits, with the age of the oldest."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from collab.processes.waiting import holders, waiting
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Delivery, Purpose, Transition, TurnStep, Utterance
from messaging.mailbox.say import answer
from tests.mailbox.cast import aside, mirror, told, withdraw

pytestmark = pytest.mark.django_db
OLD = timedelta(minutes=5)


def rows() -> dict[str, int]:
    return {queue.name: queue.rows for queue in waiting()}


def journal_all() -> None:
    Transition.objects.update(journaled=True)
    TurnStep.objects.update(journaled=True)


def test_where_nothing_waits_all_queues_are_there_and_empty():
    assert [(one.name, one.rows, one.oldest) for one in waiting()] == [
        ("uncleared", 0, None),
        ("unclaimed", 0, None),
        ("unjournaled", 0, None),
        ("unposted", 0, None),
    ]
    assert holders() == []


def test_a_question_passes_from_queue_to_queue():
    seat = mirror()
    asked = told(seat, "first", cleared=False)
    journal_all()
    assert rows() == {"uncleared": 1, "unclaimed": 0, "unjournaled": 0, "unposted": 0}
    Delivery.objects.filter(id=asked.id).update(cleared_at=timezone.now())
    assert rows() == {"uncleared": 0, "unclaimed": 1, "unjournaled": 0, "unposted": 0}
    held = claim(seat.id)
    assert held is not None
    found = rows()
    assert (found["unclaimed"], found["unposted"]) == (0, 0)
    assert found["unjournaled"] > 0
    (holder,) = holders()
    assert (holder.agent, holder.session, holder.turn, holder.attempts) == ("mirror", seat.session, held.turn, 1)
    assert holder.lease_until is not None
    assert holder.lease_until > timezone.now()
    answer(held, "yes")
    assert rows()["unposted"] == 1
    assert holders() == []


def test_the_oldest_row_tells_the_age():
    seat = mirror()
    for text in ("one", "two"):
        told(seat, text)
    then = timezone.now() - OLD
    Delivery.objects.filter(text="two").update(cleared_at=then)
    assert next(one.oldest for one in waiting() if one.name == "unclaimed") == then


def test_what_waits_for_nobody_is_in_no_queue():
    seat = mirror()
    aside(seat, "along with the next question")
    told(seat, "for a connected agent", purpose=Purpose.MAIL)
    assert withdraw(told(seat, "taken back"))
    Delivery.objects.filter(id=told(seat, "withheld").id).update(withheld_at=timezone.now())
    journal_all()
    assert set(rows().values()) == {0}
    # The control: the same question, not taken back.
    told(seat, "asked")
    assert rows()["unclaimed"] == 1


def test_pieces_are_no_answers():
    seat = mirror()
    told(seat, "asked")
    assert claim(seat.id) is not None
    Utterance.objects.create(seat=seat, kind=Utterance.Kind.PIECE, text="a", said_at=timezone.now())
    assert rows()["unposted"] == 0
