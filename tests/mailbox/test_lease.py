"""Only who holds the lease writes."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from messaging.mailbox import lease, say
from messaging.mailbox.claim import claim
from messaging.mailbox.lease import Claim, LeaseLost
from messaging.mailbox.models import Attempt, Delivery, Seat, Transition, Turn, TurnStep, Utterance
from tests.mailbox import cast

pytestmark = pytest.mark.django_db
WRITES = {
    "piece": lambda held: say.piece(held, 1, "bit"),
    "answer": lambda held: say.answer(held, "answer"),
    "fail": lambda held: say.fail(held, "provider_error"),
    "renew": lease.renew,
}


def claimed() -> Claim:
    seat = cast.mirror()
    cast.told(seat, "ask")
    got = claim(seat.id)
    assert got is not None
    return got


def snapshot() -> list[object]:
    tables = (Seat, Delivery, Transition, Turn, TurnStep, Attempt, Utterance)
    return [list(table.objects.order_by("id").values()) for table in tables]


def taken_over(held: Claim) -> None:
    cast.lease_runs_out(held.turn)
    assert claim(held.seat) is not None


def stopped(held: Claim) -> None:
    cast.stop(held.turn)


def ended_with_its_lease_left(held: Claim) -> None:
    """A state alone is enough: whoever ends a turn need not know of leases."""
    step = TurnStep(turn_id=held.turn, step=2, before="running", after="stopped", by="alex", at=timezone.now())
    step.save(force_insert=True)
    Turn.objects.filter(id=held.turn).update(state="stopped", step=2)


def ran_out(held: Claim) -> None:
    cast.lease_runs_out(held.turn)


def answered(held: Claim) -> None:
    say.answer(held, "first")


def put_off(held: Claim) -> None:
    say.fail(held, "provider_error")


@pytest.mark.parametrize("loss", [taken_over, stopped, ended_with_its_lease_left, ran_out, answered, put_off])
@pytest.mark.parametrize("name", WRITES)
def test_a_loser_writes_nothing(name, loss):
    held = claimed()
    loss(held)
    before = snapshot()
    with pytest.raises(LeaseLost):
        WRITES[name](held)
    assert snapshot() == before


@pytest.mark.parametrize("name", WRITES)
def test_a_holder_writes(name):
    held = claimed()
    Turn.objects.update(lease_until=timezone.now() + timedelta(seconds=5))
    before = snapshot()
    WRITES[name](held)
    assert snapshot() != before


def test_renewing_moves_the_end_of_the_lease():
    held = claimed()
    Turn.objects.update(lease_until=timezone.now() + timedelta(seconds=1))
    lease.renew(held)
    until = Turn.objects.get().lease_until
    assert until is not None
    assert until > timezone.now() + lease.LEASE / 2


def test_an_older_attempt_of_the_same_turn_is_a_loser_too():
    held = claimed()
    cast.lease_runs_out(held.turn)
    younger = claim(held.seat)
    assert younger is not None
    with pytest.raises(LeaseLost):
        say.answer(held, "late")
    say.answer(younger, "in time")
    assert Utterance.objects.get(kind="answer").text == "in time"
