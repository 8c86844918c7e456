"""Seats that are placed: what a process of agents finds to do, and what it leaves to others."""

from __future__ import annotations

import pytest

from messaging.mailbox import lease
from messaging.mailbox.claim import claim, due
from messaging.mailbox.models import Turn
from tests.mailbox import cast

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("own", ["", "gpu"])
def test_a_process_finds_and_claims_what_is_placed_with_it_and_nothing_else(own):
    seats = {placement: cast.mirror(placement=placement) for placement in ("", "gpu", "cpu")}
    for seat in seats.values():
        cast.told(seat, "a question")
    assert due(own) == [seats[own].id]
    assert set(due()) == {seat.id for seat in seats.values()}
    for placement, seat in seats.items():
        assert (claim(seat.id, own) is not None) is (placement == own)


def test_one_that_serves_all_claims_whatever_is_placed_where():
    seats = [cast.mirror(placement=placement) for placement in ("", "gpu")]
    for seat in seats:
        cast.told(seat, "a question")
    assert all(claim(seat.id) is not None for seat in seats)


def test_a_turn_that_was_left_behind_is_taken_up_by_its_own_alone():
    seat = cast.mirror(placement="gpu")
    cast.told(seat, "a question")
    assert claim(seat.id, "gpu") is not None
    lease.expire_all()
    assert (due(""), claim(seat.id, "")) == ([], None)
    assert due("gpu") == [seat.id]
    again = claim(seat.id, "gpu")
    assert again is not None
    assert (again.n, Turn.objects.count()) == (2, 1)
