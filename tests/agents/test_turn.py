"""One attempt from claim to end: every way it can go ends in a clear state."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from django.utils import timezone

from messaging.agents import turn, watch
from messaging.agents.context import Request
from messaging.agents.providers.base import ProviderError
from messaging.domain.text import MAX_TEXT_BYTES
from messaging.domain.turn import MAX_STEPS
from messaging.mailbox import lease, say
from messaging.mailbox.claim import claim
from messaging.mailbox.lease import Claim
from messaging.mailbox.models import Attempt, Delivery, Seat, Turn, Utterance
from tests.agents.fakes import Fake, put_in
from tests.mailbox import cast

pytestmark = pytest.mark.django_db
CANARY = "CANARY-7f3a"


def claimed(provider: str = "fake", **fields) -> Claim:
    seat = cast.mirror(provider=provider, **fields)
    cast.told(seat, "ask")
    got = claim(seat.id)
    assert got is not None
    return got


def run(held: Claim, *, stopping=lambda: False):
    return turn.run(held, stopping)


def outcome() -> tuple[str, str, bool]:
    row = Turn.objects.get()
    return row.state, row.reason, row.retryable


def answers() -> list[str]:
    return list(Utterance.objects.filter(kind="answer").values_list("text", flat=True))


@pytest.fixture
def fake(monkeypatch):
    def make(bits) -> Fake:
        return put_in(monkeypatch, Fake(bits))

    return make


def test_an_answer(fake):
    made = fake(lambda _: iter(["Hel", "lo"]))
    assert run(claimed()) is None
    assert outcome() == ("finished", "", False)
    assert answers() == ["Hello"]
    assert [line.text for line in made.requests[0].lines] == ["ask"]
    assert made.closed


def test_the_mirror_from_end_to_end():
    seat = cast.mirror()
    cast.aside(seat, "good morning", author_name="Sam")
    cast.told(seat, "what do you hear?")
    got = claim(seat.id)
    assert got is not None
    run(got)
    assert answers() == ["I repeat what reached me; I am no model.\n\nSam: good morning\n\nAlex: what do you hear?"]


def test_the_request_holds_what_this_seat_was_shown_and_nothing_else(fake):
    made = fake(lambda _: iter(["fine"]))
    seat, other = cast.mirror(provider="fake"), cast.mirror(provider="fake")
    cast.told(other, f"{CANARY} of another seat")
    assert claim(other.id) is not None
    withdrawn, uncleared = cast.told(seat, f"{CANARY} withdrawn"), cast.told(seat, f"{CANARY}", cleared=False)
    cast.withdraw(withdrawn)
    control, gone = cast.aside(seat, "control one"), cast.aside(seat, f"{CANARY} taken back later")
    cast.told(seat, "control two")
    got = claim(seat.id)
    assert got is not None
    Delivery.objects.filter(id=gone.id).update(withheld_at=timezone.now())
    cast.aside(seat, f"{CANARY} after the claim")

    run(got)

    assert [line.text for line in made.requests[0].lines] == ["control one", "control two"]
    assert Delivery.objects.get(id=control.id).state == "delivered"
    assert Delivery.objects.get(id=uncleared.id).state == "queued"


def test_earlier_answers_are_in_later_requests_and_pieces_are_not(fake):
    made = fake(lambda _: iter(["first answer"]))
    held = claimed()
    run(held)
    cast.told(Seat.objects.get(), "and now?")
    again = claim(held.seat)
    assert again is not None
    run(again)
    assert [line.text for line in made.requests[1].lines] == ["ask", "first answer", "and now?"]
    assert made.requests[1].input == Delivery.objects.get(id=again.input).message


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_an_empty_answer_is_a_final_failure(fake, text):
    fake(lambda _: iter([text]))
    assert run(claimed()) is None
    assert outcome() == ("failed", "empty_answer", False)
    assert answers() == []


def test_an_answer_that_outgrows_its_bound_is_given_up(fake):
    made = fake(lambda _: iter(["x" * MAX_TEXT_BYTES, "y", "z"]))
    run(claimed())
    assert outcome() == ("failed", "answer_too_long", False)
    assert made.closed
    assert answers() == []


def test_a_provider_that_fails_for_now_is_tried_again(fake):
    def bits(request: Request) -> Iterator[str]:
        yield "half"
        if request.attempt == 1:
            raise ProviderError("provider_cut")
        yield " and whole"

    fake(bits)
    held = claimed()
    assert run(held) is not None
    assert Turn.objects.get().state == "running"
    cast.backoff_passes(held.turn)
    again = claim(held.seat)
    assert again is not None
    assert run(again) is None
    assert answers() == ["half and whole"]
    tries = list(Attempt.objects.order_by("n").values_list("n", "state", "reason", "retryable"))
    assert tries == [(1, "failed", "provider_cut", True), (2, "finished", "", False)]
    assert {u.attempt for u in Utterance.objects.filter(kind="piece")} == {1, 2}


def test_a_provider_with_a_bug_fails_its_attempt_and_shows_no_text(fake, caplog):
    def bits(_: Request) -> Iterator[str]:
        yield "half"
        raise ValueError(CANARY)

    fake(bits)
    with caplog.at_level(logging.INFO):
        run(claimed())
    assert outcome() == ("failed", "agent_fault", False)
    assert "is at fault" in caplog.text


def test_an_unknown_provider_is_a_final_failure():
    run(claimed(provider="no-such"))
    assert outcome() == ("failed", "no_provider", False)


def test_a_stopped_turn_says_nothing_more(fake):
    def bits(_: Request) -> Iterator[str]:
        yield "half"
        cast.stop(Turn.objects.get().id)
        for _n in range(100):
            yield "more"

    made = fake(bits)
    assert run(claimed()) is None
    assert outcome() == ("stopped", "stopped", False)
    assert made.closed
    assert answers() == []
    assert Attempt.objects.get().state == "stopped"


def test_a_stop_is_noticed_in_silence(fake, monkeypatch):
    monkeypatch.setattr(watch, "LOOK_EVERY", 0.0)
    asked = []

    def bits(_: Request) -> Iterator[str]:
        yield "half"
        cast.stop(Turn.objects.get().id)
        while True:
            asked.append(1)
            yield ""

    fake(bits)
    assert run(claimed()) is None
    assert len(asked) == 1
    assert answers() == []


def test_a_long_silence_keeps_the_lease(fake, monkeypatch):
    monkeypatch.setattr(lease, "RENEW_AFTER", lease.LEASE * 0)

    def bits(_: Request) -> Iterator[str]:
        Turn.objects.update(lease_until=timezone.now() + lease.LEASE / 10)
        yield ""
        until = Turn.objects.get().lease_until
        assert until is not None
        assert until > timezone.now() + lease.LEASE / 2
        yield "done"

    fake(bits)
    run(claimed())
    assert answers() == ["done"]


def test_a_process_that_ends_hands_its_turn_on(fake):
    made = fake(lambda _: iter(["half", "more"]))
    held = claimed()
    assert run(held, stopping=lambda: True) is not None
    assert made.closed
    attempt = Attempt.objects.get()
    assert (attempt.state, attempt.reason, attempt.retryable) == ("failed", "interrupted", True)
    assert Turn.objects.get().state == "running"
    cast.backoff_passes(held.turn)
    again = claim(held.seat)
    assert again is not None
    run(again)
    assert answers() == ["halfmore"]


def test_an_input_taken_back_before_the_request_is_not_sent(fake):
    made = fake(lambda _: iter(["never"]))
    held = claimed()
    Delivery.objects.update(withheld_at=timezone.now())
    run(held)
    assert outcome() == ("failed", "withheld", False)
    assert made.requests == []


def test_delivered_is_on_record_before_the_provider_is_asked(fake):
    def bits(_: Request) -> Iterator[str]:
        assert Delivery.objects.get().state == "delivered"
        yield "ok"

    fake(bits)
    run(claimed())
    assert outcome()[0] == "finished"


def test_a_turn_taken_over_meanwhile_is_the_others(fake):
    def bits(_: Request) -> Iterator[str]:
        row = Turn.objects.get()
        cast.lease_runs_out(row.id)
        other = claim(row.seat_id)
        assert other is not None
        yield "mine"
        say.answer(other, "theirs")

    fake(bits)
    assert run(claimed()) is None
    assert answers() == []
    assert Turn.objects.get().attempts == 2


def steered(*said: tuple[str, str]):
    """Bits of a provider: at each of its steps it says one thing, and somebody steers meanwhile with another."""
    left = list(said)

    def bits(_: Request) -> Iterator[str]:
        text, asked = left.pop(0)
        yield text
        if asked:
            cast.steers(Turn.objects.get(state="running").id, asked)

    return bits


def test_a_steer_is_in_the_request_of_the_next_step_after_what_was_said_so_far(fake):
    made = fake(steered(("first", "rather so"), ("second", "and briefly"), ("third", "")))
    assert run(claimed()) is None
    assert [[line.text for line in one.lines] for one in made.requests] == [
        ["ask"],
        ["ask", "first", "rather so"],
        ["ask", "first", "rather so", "second", "and briefly"],
    ]
    assert [one.step for one in made.requests] == [1, 2, 3]
    assert answers() == ["first\n\nsecond\n\nthird"]
    assert outcome() == ("finished", "", False)


def test_later_turns_see_the_answer_alone(fake):
    made = fake(steered(("first", "rather so"), ("second", ""), ("answer", "")))
    held = claimed()
    run(held)
    cast.told(Seat.objects.get(), "and now?")
    again = claim(held.seat)
    assert again is not None
    run(again)
    assert [line.text for line in made.requests[-1].lines] == ["ask", "rather so", "first\n\nsecond", "and now?"]


def test_the_mirror_shows_what_steered_it():
    seat = cast.mirror()
    cast.told(seat, "ask")
    held = claim(seat.id)
    assert held is not None
    cast.steers(held.turn, "rather so", author_name="Sam")
    run(held)
    words = "I repeat what reached me; I am no model.\n\nAlex: ask"
    assert answers() == [f"{words}\n\n{words}\n\nSam: rather so"]


def test_a_steer_taken_back_before_it_is_told_is_not_told_and_what_was_said_is_the_answer(fake, monkeypatch):
    made = fake(lambda _: iter(["first"]))
    held = claimed()
    asked = cast.steers(held.turn, CANARY)
    finish = say.answer

    def then_deleted(claim: Claim, text: str) -> bool:
        goes_on: bool = finish(claim, text)
        Delivery.objects.filter(id=asked.id).update(withheld_at=timezone.now())
        return goes_on

    monkeypatch.setattr(say, "answer", then_deleted)
    assert run(held) is None
    assert len(made.requests) == 1
    assert answers() == ["first"]


def test_an_input_taken_back_between_two_steps_is_in_no_later_request(fake):
    def bits(request: Request) -> Iterator[str]:
        yield "first"
        cast.steers(Turn.objects.get().id, "rather so")
        Delivery.objects.filter(id=held.input).update(withheld_at=timezone.now())

    made = fake(bits)
    held = claimed()
    run(held)
    assert len(made.requests) == 1
    assert outcome() == ("failed", "withheld", False)


def test_an_attempt_that_fails_in_a_later_step_says_all_of_it_anew(fake):
    def bits(request: Request) -> Iterator[str]:
        if (request.attempt, request.step) == (1, 2):
            raise ProviderError("provider_cut")
        yield f"said {request.attempt}"
        if request.attempt == 1:
            cast.steers(Turn.objects.get().id, "rather so")

    made = fake(bits)
    held = claimed()
    assert run(held) is not None
    cast.backoff_passes(held.turn)
    again = claim(held.seat)
    assert again is not None
    run(again)
    assert [line.text for line in made.requests[-1].lines] == ["ask", "rather so"]
    assert answers() == ["said 2"]


def test_a_step_without_a_word_is_no_failure_where_somebody_steers(fake):
    made = fake(steered(("", "say something"), ("well", "")))
    run(claimed())
    assert [line.text for line in made.requests[1].lines] == ["ask", "say something"]
    assert answers() == ["well"]


def test_no_more_steps_than_an_attempt_has(fake):
    made = fake(steered(*[(f"step {n}", f"steer {n}") for n in range(1, MAX_STEPS + 2)]))
    run(claimed())
    assert len(made.requests) == MAX_STEPS
    assert outcome()[0] == "finished"
    states = list(Delivery.objects.order_by("place").values_list("state", flat=True))
    assert states == ["delivered"] * MAX_STEPS + ["too_late"]


def test_started_afresh_it_looks_back_no_further(fake):
    made = fake(steered(("answer", ""), ("answer", "")))
    held = claimed()
    run(held)
    seat = Seat.objects.get()
    seat.fresh_from = seat.shown
    seat.save()
    cast.told(seat, "and now?")
    again = claim(held.seat)
    assert again is not None
    run(again)
    assert [line.text for line in made.requests[-1].lines] == ["and now?"]


def test_an_answer_that_was_taken_back_is_in_no_later_request(fake):
    made = fake(steered((CANARY, ""), ("answer", "")))
    held = claimed()
    run(held)
    Utterance.objects.filter(kind="answer").update(withheld_at=timezone.now())
    cast.told(Seat.objects.get(), "and now?")
    again = claim(held.seat)
    assert again is not None
    run(again)
    assert [line.text for line in made.requests[-1].lines] == ["ask", "and now?"]
