"""Pieces, answers, and the ends of attempts."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from messaging.domain.text import MAX_TEXT_BYTES
from messaging.domain.turn import BACKOFF, LONGEST_WAIT
from messaging.mailbox import say, wake
from messaging.mailbox.claim import claim
from messaging.mailbox.lease import Claim
from messaging.mailbox.models import Attempt, Delivery, Seat, Turn, TurnStep, Utterance
from tests.mailbox import cast

pytestmark = pytest.mark.django_db


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def held() -> Claim:
    seat = cast.mirror()
    cast.told(seat, "ask")
    got = claim(seat.id)
    assert got is not None
    return got


@pytest.fixture
def lines(monkeypatch: pytest.MonkeyPatch, held: Claim) -> list[wake.Line]:
    sent: list[wake.Line] = []
    monkeypatch.setattr(wake, "send", sent.append)
    return sent


def pieces() -> list[str]:
    return list(Utterance.objects.filter(kind="piece").order_by("n").values_list("text", flat=True))


def test_at_most_ten_pieces_a_second_and_nothing_lost(held, lines):
    clock = Clock()
    speaker = say.Speaker(held, clock)
    for n in range(200):
        speaker.hear(f"{n} ")
        clock.now += 0.01
    assert len(pieces()) <= 21
    assert speaker.text == "".join(f"{n} " for n in range(200))
    assert speaker.text.startswith("".join(pieces()))
    assert lines == [wake.Piece(held.session, held.turn)] * len(pieces())
    assert [u.n for u in Utterance.objects.order_by("n")] == list(range(1, len(pieces()) + 1))


def test_the_first_piece_comes_at_once_and_silence_makes_none(held):
    clock = Clock()
    speaker = say.Speaker(held, clock)
    speaker.hear("")
    assert pieces() == []
    speaker.hear("Hello")
    assert pieces() == ["Hello"]
    clock.now += 5
    speaker.hear("")
    assert pieces() == ["Hello"]


def test_what_waited_comes_out_in_a_silence(held):
    clock = Clock()
    speaker = say.Speaker(held, clock)
    speaker.hear("one ")
    speaker.hear("two")
    clock.now += 0.25
    speaker.hear("")
    assert pieces() == ["one ", "two"]


def test_text_that_no_database_holds_is_made_storable(held):
    clock = Clock()
    speaker = say.Speaker(held, clock)
    for bit in ("a\x00b", "\ud83d", "\ude00", "\udfff"):
        speaker.hear(bit)
        clock.now += 1
    assert speaker.text == "a\ufffdb😀\ufffd"
    assert all("\x00" not in piece for piece in pieces())
    say.answer(held, speaker.text)
    assert Utterance.objects.get(kind="answer").text == "a\ufffdb😀\ufffd"


@pytest.mark.parametrize("bit", ["x", "é", "\x00", "😀"])
def test_an_answer_is_bounded_as_it_is_stored(held, bit):
    size = len(bit.replace("\x00", "\ufffd").encode())
    speaker = say.Speaker(held, Clock())
    speaker.hear(bit * (MAX_TEXT_BYTES // size))
    assert len(speaker.text.encode()) <= MAX_TEXT_BYTES
    with pytest.raises(say.AnswerTooLong):
        speaker.hear(bit)


def test_an_answer_finishes_the_turn(held, lines):
    say.answer(held, "done")
    turn, answer = Turn.objects.get(), Utterance.objects.get()
    assert (turn.state, turn.reason, turn.lease_owner) == ("finished", "", None)
    assert turn.ended_at
    assert (answer.kind, answer.text, answer.number, answer.message) == ("answer", "done", 2, None)
    assert Seat.objects.get().shown == 2
    assert (Attempt.objects.get().state, Attempt.objects.get().reason) == ("finished", "")
    assert Attempt.objects.get().ended_at
    assert [(s.step, s.before, s.after) for s in TurnStep.objects.order_by("step")] == [
        (1, "", "running"),
        (2, "running", "finished"),
    ]
    assert Delivery.objects.get().state == "delivered", "the house alone says that it was answered"
    assert lines == [wake.Collect(held.session)]


def test_a_passing_failure_puts_the_turn_off(held, lines):
    before = timezone.now()
    due = say.fail(held, "provider_error")
    turn, attempt = Turn.objects.get(), Attempt.objects.get()
    assert due is not None
    assert due == turn.not_before
    assert before + timedelta(seconds=BACKOFF[0]) <= due <= timezone.now() + timedelta(seconds=BACKOFF[0])
    assert (turn.state, turn.step, turn.lease_owner, turn.lease_until) == ("running", 1, None, None)
    assert (attempt.state, attempt.reason, attempt.retryable) == ("failed", "provider_error", True)
    assert lines == [wake.Collect(held.session)]


def test_the_pause_grows_and_the_third_failure_is_the_last(held):
    pauses = []
    current: Claim | None = held
    while current is not None:
        due = say.fail(current, "provider_cut")
        pauses.append(due and round((due - timezone.now()).total_seconds()))
        cast.backoff_passes(held.turn)
        current = claim(held.seat)
    assert pauses == [*BACKOFF, None]
    turn = Turn.objects.get()
    assert (turn.state, turn.reason, turn.retryable, turn.attempts) == ("failed", "provider_cut", True, 3)
    assert Delivery.objects.get().state == "delivered"


def test_a_final_failure_is_not_tried_again(held):
    assert say.fail(held, "provider_auth") is None
    turn, attempt = Turn.objects.get(), Attempt.objects.get()
    assert (turn.state, turn.reason, turn.retryable) == ("failed", "provider_auth", False)
    assert (attempt.state, attempt.reason, attempt.retryable) == ("failed", "provider_auth", False)
    assert Delivery.objects.get().state == "delivered"


@pytest.mark.parametrize(("asked", "granted"), [(0.5, BACKOFF[0]), (20.0, 20.0), (LONGEST_WAIT, LONGEST_WAIT)])
def test_a_providers_wish_to_wait_is_granted(held, asked, granted):
    due = say.fail(held, "provider_busy", asked)
    assert due is not None
    assert (due - timezone.now()).total_seconds() == pytest.approx(granted, abs=1)


def test_a_provider_that_wants_too_much_patience_is_not_asked_again(held):
    assert say.fail(held, "provider_busy", LONGEST_WAIT + 1) is None
    turn = Turn.objects.get()
    assert (turn.state, turn.reason, turn.retryable) == ("failed", "provider_busy", True)


def test_no_second_try_once_a_tool_has_acted(held):
    Attempt.objects.update(acted=True)
    assert say.fail(held, "provider_cut") is None
    assert (Turn.objects.get().state, Turn.objects.get().retryable) == ("failed", False)
