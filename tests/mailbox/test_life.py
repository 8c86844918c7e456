"""The life of claims, leases, attempts and steers under any order of posts, kills, stops and late writers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from messaging.domain.reason import is_passing
from messaging.domain.turn import MAX_ATTEMPTS, MAX_STEPS
from messaging.mailbox import lease, say
from messaging.mailbox.claim import claim, due
from messaging.mailbox.lease import Claim, LeaseLost
from messaging.mailbox.models import Attempt, Delivery, Seat, Transition, Turn, TurnStep, Utterance
from tests.mailbox import cast

REASONS = st.sampled_from(["provider_cut", "provider_busy", "provider_auth", "empty_answer", "interrupted"])
PICK = st.integers(0, 10**6)


class Life(RuleBasedStateMachine):
    """Two seats of one agent, a house that posts and withdraws, workers that die and come back late."""

    def __init__(self) -> None:
        super().__init__()
        self.seats = [cast.mirror(), cast.mirror()]
        self.claims: list[Claim] = []
        self.holder: dict[UUID, Claim | None] = {}
        self.inputs: list[Delivery] = []
        self.steers: list[Delivery] = []

    @rule(seat=st.integers(0, 1), cleared=st.booleans())
    def post(self, seat: int, cleared: bool) -> None:
        self.inputs.append(cast.told(self.seats[seat], "ask", cleared=cleared))

    @rule(seat=st.integers(0, 1))
    def post_aside(self, seat: int) -> None:
        cast.aside(self.seats[seat], "by the way")

    @precondition(lambda self: self.inputs)
    @rule(pick=PICK)
    def withdraw(self, pick: int) -> None:
        row = self.inputs[pick % len(self.inputs)]
        was = Delivery.objects.get(id=row.id).state
        assert cast.withdraw(row) == (was == "queued")

    @rule(seat=st.integers(0, 1))
    def steer(self, seat: int) -> None:
        for turn in Turn.objects.filter(seat=self.seats[seat], state="running"):
            self.steers.append(cast.steers(turn.id, "rather so"))

    @precondition(lambda self: self.steers)
    @rule(pick=PICK)
    def withdraw_steer(self, pick: int) -> None:
        row = self.steers[pick % len(self.steers)]
        was = Delivery.objects.get(id=row.id).state
        assert cast.withdraw(row) == (was == "steering_requested")

    @rule(seat=st.integers(0, 1))
    def claim(self, seat: int) -> None:
        row = self.seats[seat].id
        held = self.holder.get(row)
        got = claim(row)
        if held is not None:
            assert got is None, "a living worker's turn was taken"
        if got is not None:
            self.claims.append(got)
            self.holder[row] = got

    @precondition(lambda self: self.claims)
    @rule(pick=PICK)
    def say_piece(self, pick: int) -> None:
        held = self.claims[pick % len(self.claims)]
        said = Utterance.objects.filter(turn=held.turn, kind="piece", attempt=held.n).count()
        self.write(held, lambda: say.piece(held, said + 1, "bit"))

    @precondition(lambda self: self.claims)
    @rule(pick=PICK)
    def renew(self, pick: int) -> None:
        held = self.claims[pick % len(self.claims)]
        self.write(held, lambda: lease.renew(held))

    @precondition(lambda self: self.claims)
    @rule(pick=PICK)
    def answer(self, pick: int) -> None:
        held = self.claims[pick % len(self.claims)]
        goes_on: list[bool] = []
        steered = Delivery.objects.filter(turn=held.turn, state="steering_requested").exists()
        if self.write(held, lambda: goes_on.append(say.answer(held, "answer"))):
            said = Utterance.objects.filter(turn=held.turn, kind="step", attempt=held.n).count()
            assert goes_on == [steered and said < MAX_STEPS]
            self.holder[held.seat] = held if goes_on[0] else None

    @precondition(lambda self: self.claims)
    @rule(pick=PICK, reason=REASONS)
    def fail(self, pick: int, reason: str) -> None:
        held = self.claims[pick % len(self.claims)]
        if self.write(held, lambda: say.fail(held, reason)):
            self.holder[held.seat] = None
            running = Turn.objects.get(id=held.turn).state == "running"
            assert running == (is_passing(reason) and held.n < MAX_ATTEMPTS)

    @rule(seat=st.integers(0, 1))
    def kill(self, seat: int) -> None:
        if (held := self.holder.get(self.seats[seat].id)) is not None:
            cast.lease_runs_out(held.turn)
            self.holder[held.seat] = None

    @rule(seat=st.integers(0, 1))
    def wait(self, seat: int) -> None:
        for turn in Turn.objects.filter(seat=self.seats[seat], state="running"):
            cast.backoff_passes(turn.id)

    @rule(seat=st.integers(0, 1))
    def stop(self, seat: int) -> None:
        for turn in Turn.objects.filter(seat=self.seats[seat], state="running"):
            cast.stop(turn.id)
            self.holder[self.seats[seat].id] = None

    def write(self, held: Claim, deed: Callable[[], Any]) -> bool:
        """A holder's write goes through; anybody else's changes nothing at all."""
        if self.holder.get(held.seat) == held:
            deed()
            return True
        before = self.rows()
        with pytest.raises(LeaseLost):
            deed()
        assert self.rows() == before
        return False

    def rows(self) -> list[Any]:
        mine = [seat.id for seat in self.seats]
        tables = {
            Seat: "id", Delivery: "seat_id", Transition: "delivery__seat_id", Turn: "seat_id",
            TurnStep: "turn__seat_id", Attempt: "turn__seat_id", Utterance: "seat_id",
        }  # fmt: skip
        return [
            list(table._default_manager.filter(**{f"{key}__in": mine}).order_by("id").values())
            for table, key in tables.items()
        ]

    @invariant()
    def one_running_turn_and_one_answer(self) -> None:
        for seat in self.seats:
            assert Turn.objects.filter(seat=seat, state="running").count() <= 1
            answers = Utterance.objects.filter(seat=seat, kind="answer")
            inputs = Counter(answers.values_list("turn__input", flat=True))
            assert all(count == 1 for count in inputs.values())
            assert all(n <= MAX_ATTEMPTS for n in Turn.objects.filter(seat=seat).values_list("attempts", flat=True))

    @invariant()
    def numbers_without_gaps_in_the_order_of_showing(self) -> None:
        for seat in self.seats:
            heard = Delivery.objects.filter(seat=seat, number__isnull=False).order_by("number")
            assert {row.state for row in heard} <= {"delivered", "responded"}
            steering = {row.id for row in self.steers}
            for told in (True, False):
                places = [row.place for row in heard if row.purpose == "input" and (row.id in steering) == told]
                assert places == sorted(places)
            said = Utterance.objects.filter(seat=seat, number__isnull=False).values_list("number", flat=True)
            numbers = sorted(number or 0 for number in [*(row.number for row in heard), *said])
            assert numbers == list(range(1, Seat.objects.get(id=seat.id).shown + 1))

    @invariant()
    def every_state_is_its_last_step(self) -> None:
        for turn in Turn.objects.filter(seat__in=self.seats):
            steps = list(TurnStep.objects.filter(turn=turn).order_by("step"))
            assert (steps[-1].step, steps[-1].after) == (turn.step, turn.state)
            running = Attempt.objects.filter(turn=turn, state="running").count()
            assert running == (1 if turn.lease_owner else 0)

    @invariant()
    def a_steer_is_in_its_turn_or_too_late(self) -> None:
        for turn in Turn.objects.filter(seat__in=self.seats):
            assert (turn.window == "closed") == (turn.state != "running")
            rows = Delivery.objects.filter(id__in=[row.id for row in self.steers], turn=turn.id)
            waits = rows.filter(state="steering_requested").exists()
            assert turn.state == "running" or not waits, "left waiting for a turn that has ended"
        for row in self.steers:
            assert Delivery.objects.get(id=row.id).turn == row.turn

    def teardown(self) -> None:
        """However it went, everything cleared comes to a clear end once workers live."""
        for _ in range(200):
            for turn in Turn.objects.filter(seat__in=self.seats, state="running"):
                cast.lease_runs_out(turn.id) if turn.lease_owner else cast.backoff_passes(turn.id)
            mine = [seat.id for seat in self.seats if seat.id in due()]
            if not mine:
                break
            for seat in mine:
                if (got := claim(seat)) is not None:
                    say.answer(got, "at last")
        ends = set(Delivery.objects.filter(id__in=[row.id for row in self.steers]).values_list("state", flat=True))
        assert ends <= {"delivered", "superseded", "too_late"}
        for row in Delivery.objects.filter(id__in=[row.id for row in self.inputs], cleared_at__isnull=False):
            if row.state != "superseded":
                assert row.state == "delivered"
                turn = Turn.objects.get(input=row)
                answered = Utterance.objects.filter(turn=turn, kind="answer").count()
                assert (turn.state == "finished") == (answered == 1)
                assert turn.state in ("finished", "stopped", "failed")
                assert bool(turn.reason) == (turn.state != "finished"), "an unanswered one says why"


@pytest.mark.django_db
def test_life():
    run_state_machine_as_test(
        Life,
        settings=settings(
            max_examples=40,
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        ),
    )
