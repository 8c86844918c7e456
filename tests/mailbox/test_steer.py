"""Steering at the boundary between two model steps: a steer is in the turn, or too late; never in between."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.utils import timezone

from messaging.domain.turn import MAX_STEPS
from messaging.mailbox import lease, say, shown, steer, wake
from messaging.mailbox.claim import claim
from messaging.mailbox.lease import Claim, LeaseLost
from messaging.mailbox.models import Attempt, Delivery, Seat, Transition, Turn, Utterance
from tests.mailbox import cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def held() -> Claim:
    seat = cast.mirror()
    cast.told(seat, "ask")
    got = claim(seat.id)
    assert got is not None
    return got


def fresh(row: Delivery) -> Delivery:
    return Delivery.objects.get(id=row.id)


def fate(row: Delivery) -> tuple[str, str]:
    again = fresh(row)
    return again.state, again.reason


def window() -> str:
    return Turn.objects.get().window


def answers() -> list[str]:
    return list(Utterance.objects.filter(kind="answer").values_list("text", flat=True))


def test_without_a_steer_the_first_step_is_the_answer(held):
    assert say.answer(held, "all of it") is False
    assert (Turn.objects.get().state, window(), answers()) == ("finished", "closed", ["all of it"])
    assert not Utterance.objects.filter(kind="step").exists()


def test_a_steer_is_shown_at_the_next_boundary_and_the_turn_goes_on(held):
    asked = cast.steers(held.turn, "rather so")
    assert say.answer(held, "first") is True
    row, step = fresh(asked), Utterance.objects.get(kind="step")
    assert (row.state, row.turn, row.number, row.delivered_at is not None) == ("delivered", held.turn, 2, True)
    assert (step.text, step.n, step.attempt, step.after, step.number) == ("first", 1, 1, 1, None)
    assert (Turn.objects.get().state, window()) == ("running", "open")
    made = Transition.objects.get(delivery=row, after="delivered")
    assert (made.by, made.turn, made.journaled) == ("agents", held.turn, False)
    assert answers() == []


def test_the_answer_holds_all_steps(held):
    for text in ("first", " \n", "third"):
        cast.steers(held.turn, "more")
        assert say.answer(held, text)
    assert say.answer(held, "last") is False
    assert answers() == ["first\n\nthird\n\nlast"]
    assert [u.after for u in Utterance.objects.filter(kind="step").order_by("n")] == [1, 2, 3]
    assert Utterance.objects.get(kind="answer").number == 5 == Seat.objects.get().shown


def test_a_last_step_without_a_word_leaves_what_was_said_before(held):
    cast.steers(held.turn, "never mind")
    assert say.answer(held, "first")
    assert say.answer(held, "") is False
    assert answers() == ["first"]


def test_nothing_said_at_all_is_no_answer_and_changes_nothing(held):
    with pytest.raises(say.NothingSaid):
        say.answer(held, " ")
    assert (Turn.objects.get().state, window(), answers()) == ("running", "open", [])


def test_several_steers_come_in_the_order_in_which_they_were_said(held):
    rows = [cast.steers(held.turn, f"steer {n}") for n in range(4)]
    say.answer(held, "first")
    assert [fresh(row).number for row in rows] == [2, 3, 4, 5]


def test_only_what_was_cleared_and_not_taken_back_steers(held):
    uncleared, gone = cast.steers(held.turn, "not yet", cleared=False), cast.steers(held.turn, "gone")
    Delivery.objects.filter(id=gone.id).update(withheld_at=timezone.now())
    assert say.answer(held, "done") is False
    assert [fate(row) for row in (uncleared, gone)] == [("too_late", "turn_ended")] * 2


def test_what_waits_its_turn_does_not_steer_and_is_not_overtaken_into_it(held):
    """Twin: input that only waits stays where it is, whatever steers."""
    waiting = cast.told(Seat.objects.get(), "later")
    asked = cast.steers(held.turn, "now")
    assert say.answer(held, "first")
    assert say.answer(held, "second") is False
    assert (fresh(asked).state, fresh(waiting).state, fresh(waiting).number) == ("delivered", "queued", None)
    again = claim(held.seat)
    assert again is not None
    assert (again.input, again.turn != held.turn) == (waiting.id, True)


def test_a_steer_of_another_turn_is_not_taken(held):
    other = cast.mirror()
    cast.told(other, "ask")
    theirs = claim(other.id)
    assert theirs is not None
    asked = cast.steers(theirs.turn, "for the other")
    stray = cast.told(Seat.objects.get(id=held.seat), "for an earlier one", steers=uuid4())
    assert say.answer(held, "done") is False
    assert [fresh(row).state for row in (asked, stray)] == ["steering_requested"] * 2


def left_behind(held: Claim) -> None:
    Seat.objects.update(open=False)
    cast.lease_runs_out(held.turn)
    assert claim(held.seat) is None


def test_the_last_step_takes_no_steering_and_says_so_beforehand(held):
    for n in range(1, MAX_STEPS):
        assert window() == "open"
        cast.steers(held.turn, f"steer {n}")
        assert say.answer(held, f"step {n}")
    assert window() == "closing"
    late = cast.steers(held.turn, "too late")
    assert say.answer(held, "last") is False
    assert fate(late) == ("too_late", "turn_ended")
    assert Utterance.objects.filter(kind="step").count() == MAX_STEPS - 1


@pytest.mark.parametrize(
    "end",
    [
        lambda held: say.fail(held, "provider_auth"),
        lambda held: cast.stop(held.turn),
        left_behind,
    ],
    ids=["failed", "stopped", "left behind"],
)
def test_however_the_turn_ends_a_steer_is_too_late_then_and_in_no_other_turn(held, end):
    asked = cast.steers(held.turn, "rather so")
    end(held)
    assert Turn.objects.get().state in ("failed", "stopped")
    assert (window(), *fate(asked), fresh(asked).number) == ("closed", "too_late", "turn_ended", None)
    Seat.objects.update(open=True)
    cast.told(Seat.objects.get(), "next")
    again = claim(held.seat)
    assert again is not None
    assert fresh(asked).state == "too_late"


def test_a_turn_that_is_put_off_keeps_its_steers_and_its_next_attempt_begins_with_them(held):
    early = cast.steers(held.turn, "early")
    assert say.answer(held, "first")
    asked = cast.steers(held.turn, "rather so")
    assert say.fail(held, "provider_cut") is not None
    later = cast.steers(held.turn, "and so")
    assert [fresh(row).state for row in (early, asked, later)] == ["delivered", *["steering_requested"] * 2]
    cast.backoff_passes(held.turn)
    again = claim(held.seat)
    assert again is not None
    assert [(fresh(row).state, fresh(row).number) for row in (early, asked, later)] == [
        ("delivered", 2), ("delivered", 3), ("delivered", 4),
    ]  # fmt: skip
    assert shown.steps(again.turn, again.n) == [], "what the attempt before said is not said any more"
    assert say.answer(again, "anew") is False
    assert answers() == ["anew"]


def test_the_next_attempt_after_a_kill_takes_them_and_has_all_its_steps_again(held):
    for n in range(1, MAX_STEPS):
        cast.steers(held.turn, f"steer {n}")
        say.answer(held, f"step {n}")
    assert window() == "closing"
    cast.lease_runs_out(held.turn)
    again = claim(held.seat)
    assert again is not None
    assert (again.n, window(), Attempt.objects.count()) == (2, "open", 2)
    asked = cast.steers(held.turn, "once more")
    assert say.answer(again, "first") is True
    assert fresh(asked).state == "delivered"


def test_who_has_lost_the_lease_takes_no_steer(held):
    asked = cast.steers(held.turn, "rather so")
    cast.lease_runs_out(held.turn)
    with pytest.raises(LeaseLost):
        say.answer(held, "first")
    assert (fresh(asked).state, Utterance.objects.count()) == ("steering_requested", 0)


def test_a_withdrawn_steer_is_not_told(held):
    asked = cast.steers(held.turn, "rather so")
    assert cast.withdraw(asked)
    assert say.answer(held, "done") is False
    assert fate(asked) == ("superseded", "withdrawn")


def test_what_a_turn_was_steered_by_in_its_order(held):
    cast.aside(Seat.objects.get(), "by the way")
    rows = [cast.steers(held.turn, f"steer {n}") for n in range(3)]
    say.answer(held, "first")
    late = cast.steers(held.turn, "late")
    cast.stop(held.turn)
    turns = list(Turn.objects.select_related("input"))
    assert [row.id for row in steer.steers(turns)] == [row.id for row in rows]
    assert late.id not in {row.id for row in steer.steers(turns)}
    assert steer.steers([]) == []


def test_the_house_is_told_at_each_boundary(held, monkeypatch):
    lines: list[wake.Line] = []
    monkeypatch.setattr(wake, "send", lines.append)
    cast.steers(held.turn, "rather so")
    say.answer(held, "first")
    assert lines == [wake.Collect(held.session)]


def test_a_stretch_of_later_steps_goes_on_in_the_same_text(held):
    clock = iter(range(100))
    speaker = say.Speaker(held, lambda: float(next(clock)))
    for text in ("Hel", "lo"):
        speaker.hear(text)
    assert speaker.text == "Hello"
    speaker.next_step()
    speaker.hear("")
    speaker.hear("again")
    assert speaker.text == "again"
    rows = Utterance.objects.filter(kind="piece").order_by("n")
    assert [(row.n, row.text) for row in rows] == [(1, "Hel"), (2, "lo"), (3, "\n\nagain")]


def test_an_attempt_that_has_said_nothing_yet_begins_without_a_blank_line(held):
    speaker = say.Speaker(held)
    speaker.next_step()
    speaker.hear("first")
    assert Utterance.objects.get(kind="piece").text == "first"


def test_all_steps_together_are_bounded_as_one_answer(held):
    speaker = say.Speaker(held)
    speaker.hear("x" * (64 * 1024 - 3))
    speaker.next_step()
    speaker.hear("y")
    with pytest.raises(say.AnswerTooLong):
        speaker.hear("z")


def test_a_seats_lock_comes_before_its_turns_where_a_turn_ends(held, monkeypatch):
    """Or somebody who is about to steer could be left waiting for a turn that has ended."""
    taken: list[str] = []
    locked = lease.lock_seat
    monkeypatch.setattr(lease, "lock_seat", lambda seat: taken.append("seat") or locked(seat))
    say.fail(held, "provider_auth")
    assert taken == ["seat"]
