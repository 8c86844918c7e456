"""Claiming: what is taken, in which order, what is left alone, and what follows a dead worker."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from messaging.domain.turn import MAX_ATTEMPTS
from messaging.mailbox import lease, say, wake
from messaging.mailbox.claim import claim, due
from messaging.mailbox.models import Attempt, Delivery, Seat, SeatKind, Transition, Turn, TurnStep
from tests.mailbox import cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks) -> list[wake.Line]:
    sent: list[wake.Line] = []
    monkeypatch.setattr(wake, "send", sent.append)
    return sent


def fresh(delivery: Delivery) -> Delivery:
    return Delivery.objects.get(id=delivery.id)


def test_takes_the_oldest_cleared_input_with_the_context_before_it():
    seat = cast.mirror()
    first, before = cast.aside(seat, "one"), cast.aside(seat, "two")
    asked, after = cast.told(seat, "ask"), cast.aside(seat, "later")
    second = cast.told(seat, "ask again")

    got = claim(seat.id)

    assert got is not None
    assert got.input == asked.id
    assert [fresh(row).number for row in (first, before, asked)] == [1, 2, 3]
    assert {fresh(row).state for row in (first, before, asked)} == {"delivered"}
    assert all(fresh(row).delivered_at and fresh(row).turn == got.turn for row in (first, before, asked))
    assert [(fresh(row).state, fresh(row).number) for row in (after, second)] == [("queued", None)] * 2
    assert Seat.objects.get(id=seat.id).shown == 3


def test_writes_turn_step_attempt_and_lease():
    seat = cast.mirror()
    cast.told(seat, "ask")

    got = claim(seat.id)

    assert got is not None
    turn = Turn.objects.get(id=got.turn)
    step, attempt = TurnStep.objects.get(turn=turn), Attempt.objects.get(turn=turn)
    assert (turn.state, turn.step, turn.attempts, turn.lease_owner) == ("running", 1, 1, attempt.id)
    assert turn.lease_until is not None
    assert timezone.now() < turn.lease_until <= timezone.now() + lease.LEASE
    assert (step.step, step.before, step.after) == (1, "", "running")
    assert (attempt.n, attempt.state, got.attempt, got.n) == (1, "running", attempt.id, 1)
    assert not step.journaled
    assert not Transition.objects.get(delivery=got.input, after="delivered").journaled


def test_takes_nothing_but_cleared_rows():
    seat = cast.mirror()
    uncleared, context = (
        cast.told(seat, "not yet", cleared=False),
        cast.aside(seat, "nor this", cleared=False),
    )
    assert claim(seat.id) is None
    cleared = cast.told(seat, "now")
    got = claim(seat.id)
    assert got is not None
    assert got.input == cleared.id
    assert [fresh(row).state for row in (uncleared, context)] == ["queued", "queued"]


def test_takes_no_row_that_was_taken_back():
    seat = cast.mirror()
    context, asked = cast.aside(seat, "gone"), cast.told(seat, "gone, too")
    Delivery.objects.filter(id__in=[context.id, asked.id]).update(withheld_at=timezone.now())
    assert claim(seat.id) is None
    cast.told(seat, "still here")
    assert claim(seat.id) is not None
    assert fresh(context).state == "queued"


def test_takes_no_context_without_an_input():
    seat = cast.mirror()
    cast.aside(seat, "nobody asks")
    assert claim(seat.id) is None


def test_takes_nothing_withdrawn():
    seat = cast.mirror()
    asked = cast.told(seat, "never mind")
    assert cast.withdraw(asked)
    assert claim(seat.id) is None
    assert not Turn.objects.exists()


def test_what_was_claimed_cannot_be_withdrawn():
    seat = cast.mirror()
    asked = cast.told(seat, "too late")
    assert claim(seat.id) is not None
    assert not cast.withdraw(asked)
    assert fresh(asked).state == "delivered"


def test_one_running_turn_per_seat():
    seat = cast.mirror()
    cast.told(seat, "first")
    cast.told(seat, "second")
    assert claim(seat.id) is not None
    assert claim(seat.id) is None


def test_seats_do_not_stand_in_each_others_way():
    one, other = cast.mirror(), cast.mirror()
    cast.told(one, "first")
    cast.told(other, "second")
    assert claim(one.id) is not None
    assert claim(other.id) is not None


def test_nothing_for_connected_closed_or_unknown_seats():
    connected, closed = cast.mirror(kind=SeatKind.CONNECTED), cast.mirror(open=False)
    for seat in (connected, closed):
        cast.told(seat, "hello")
        assert claim(seat.id) is None
    assert claim(connected.session) is None
    assert due() == []


def test_a_dead_workers_turn_is_tried_again_on_the_same_input(lines):
    seat = cast.mirror()
    asked = cast.told(seat, "ask")
    first = claim(seat.id)
    assert first is not None
    cast.lease_runs_out(first.turn)

    second = claim(seat.id)

    assert second is not None
    assert (second.turn, second.input, second.n) == (first.turn, asked.id, 2)
    assert second.attempt != first.attempt
    dead = Attempt.objects.get(id=first.attempt)
    assert (dead.state, dead.reason, dead.retryable) == ("failed", "interrupted", True)
    assert dead.ended_at
    assert wake.Collect(seat.session) in lines


def test_a_living_workers_turn_is_left_alone():
    seat = cast.mirror()
    cast.told(seat, "ask")
    first = claim(seat.id)
    assert first is not None
    assert claim(seat.id) is None
    lease.check(first)


def test_after_the_last_attempt_died_the_turn_has_failed_and_its_input_stays_delivered(lines):
    seat = cast.mirror()
    asked = cast.told(seat, "ask")
    for _ in range(MAX_ATTEMPTS):
        got = claim(seat.id)
        assert got is not None
        cast.lease_runs_out(got.turn)
    lines.clear()

    assert claim(seat.id) is None

    turn = Turn.objects.get()
    assert (turn.state, turn.reason, turn.retryable) == ("failed", "interrupted", True)
    assert (turn.lease_owner, turn.lease_until, turn.not_before) == (None, None, None)
    assert fresh(asked).state == "delivered"
    assert [a.state for a in Attempt.objects.order_by("n")] == ["failed"] * MAX_ATTEMPTS
    assert lines == [wake.Collect(seat.session)]
    assert claim(seat.id) is None


def test_a_turn_that_acted_is_never_tried_again():
    seat = cast.mirror()
    cast.told(seat, "buy it")
    got = claim(seat.id)
    assert got is not None
    Attempt.objects.filter(id=got.attempt).update(acted=True)
    cast.lease_runs_out(got.turn)
    assert claim(seat.id) is None
    turn = Turn.objects.get()
    assert (turn.state, turn.reason, turn.retryable) == ("failed", "interrupted", False)


def test_a_turn_put_off_is_taken_up_when_its_time_has_come_and_not_before():
    seat = cast.mirror()
    cast.told(seat, "ask")
    got = claim(seat.id)
    assert got is not None
    assert say.fail(got, "provider_busy") is not None
    assert claim(seat.id) is None
    assert due() == []
    cast.backoff_passes(got.turn)
    assert due() == [seat.id]
    again = claim(seat.id)
    assert again is not None
    assert (again.turn, again.n) == (got.turn, 2)


@pytest.mark.parametrize(("change", "reason"), [("left", "seat_gone"), ("withheld", "withheld")])
def test_no_further_attempt_where_the_agent_left_or_the_input_was_taken_back(change, reason):
    seat = cast.mirror()
    asked = cast.told(seat, "ask")
    got = claim(seat.id)
    assert got is not None
    say.fail(got, "provider_cut")
    if change == "left":
        Seat.objects.filter(id=seat.id).update(open=False)
    else:
        Delivery.objects.filter(id=asked.id).update(withheld_at=timezone.now())
    cast.backoff_passes(got.turn)
    assert due() == [seat.id]
    assert claim(seat.id) is None
    turn = Turn.objects.get()
    assert (turn.state, turn.reason, turn.retryable, turn.attempts) == ("failed", reason, False, 1)


def test_due_names_each_seat_with_something_to_do_and_no_other():
    waiting, dead, busy, idle, uncleared = (cast.mirror() for _ in range(5))
    for seat in (waiting, dead, busy):
        cast.told(seat, "ask")
    cast.told(uncleared, "ask", cleared=False)
    cast.aside(idle, "by the way")
    got = claim(dead.id)
    assert got is not None
    cast.lease_runs_out(got.turn)
    assert claim(busy.id) is not None
    cast.told(busy, "and then")
    assert set(due()) == {waiting.id, dead.id}


def test_a_process_that_is_alone_ends_the_leases_of_the_dead_at_once():
    seat = cast.mirror()
    cast.told(seat, "ask")
    got = claim(seat.id)
    assert got is not None
    assert lease.expire_all() == 1
    assert due() == [seat.id]
    with pytest.raises(lease.LeaseLost):
        lease.check(got)


def test_numbers_go_on_over_answers():
    seat = cast.mirror()
    cast.told(seat, "one")
    got = claim(seat.id)
    assert got is not None
    say.answer(got, "answer")
    second = cast.told(seat, "two")
    assert claim(seat.id) is not None
    assert fresh(second).number == 3


def test_a_turn_far_ahead_in_time_is_left_alone():
    """The twin of the backoff: a lease far in the future belongs to somebody, whoever's clock is wrong."""
    seat = cast.mirror()
    cast.told(seat, "ask")
    got = claim(seat.id)
    assert got is not None
    Turn.objects.update(lease_until=timezone.now() + timedelta(days=1))
    assert claim(seat.id) is None
