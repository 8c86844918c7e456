"""Summaries are written whole, stand for themselves until a larger one does, and are lost with what they hold."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.db import transaction
from django.utils import timezone

from messaging.mailbox import summaries
from messaging.mailbox.models import Delivery, Seat, Summary, Utterance
from messaging.mailbox.withhold import withhold, withhold_said
from tests.mailbox.test_shown import long_past

pytestmark = pytest.mark.django_db


def rows(seat: Seat, first: int, last: int) -> set[UUID]:
    numbered = {"seat": seat, "number__gte": first, "number__lte": last, "withheld_at": None}
    heard = Delivery.objects.filter(**numbered).values_list("id", flat=True)
    return {*heard, *Utterance.objects.filter(**numbered).values_list("id", flat=True)}


def write(seat: Seat, first: int, last: int) -> Summary:
    return summaries.write(seat.id, 0, first, last, f"{first} to {last}", rows(seat, first, last))


def told(seat: Seat) -> list[str]:
    return [row.text for row in summaries.told(Seat.objects.get(id=seat.id))]


def take_back(seat: Seat, number: int) -> None:
    with transaction.atomic():
        heard = Delivery.objects.filter(seat=seat, number=number).first()
        if heard is not None:
            withhold(heard.message)
        else:
            withhold_said(Utterance.objects.get(seat=seat, number=number).message, None)  # type: ignore[arg-type]


def two_levels(seat: Seat) -> None:
    small = [write(seat, 1, 4), write(seat, 5, 8)]
    summaries.write(seat.id, 1, 1, 8, "1 to 8, short", {one.id for one in small})
    write(seat, 9, 12)


def test_one_that_was_made_of_several_stands_for_them():
    seat = long_past(20)
    two_levels(seat)
    assert told(seat) == ["1 to 8, short", "9 to 12"]


@pytest.mark.parametrize("number", [2, 3], ids=["said", "heard"])
def test_with_what_is_taken_back_go_those_that_hold_it_and_no_others(number):
    seat, other = long_past(20), long_past(20)
    two_levels(seat)
    write(other, 1, 4)
    take_back(seat, number)
    assert told(seat) == ["5 to 8", "9 to 12"]
    assert told(other) == ["1 to 4"], "the same number of another seat is another row"
    lost = Summary.objects.filter(seat=seat, withheld_at__isnull=False)
    assert sorted(lost.values_list("text", flat=True)) == ["1 to 4", "1 to 8, short"]


def test_what_was_taken_back_while_it_was_made_keeps_it_from_being_written():
    seat = long_past(20)
    made_from = rows(seat, 1, 4)
    take_back(seat, 3)
    with pytest.raises(summaries.Outdated):
        summaries.write(seat.id, 0, 1, 4, "too much", made_from)
    assert told(seat) == []
    write(seat, 1, 4)
    assert told(seat) == ["1 to 4"], "of what is left one may be made"


def test_a_part_that_was_lost_while_a_larger_one_was_made_keeps_that_from_being_written():
    seat = long_past(20)
    small = [write(seat, 1, 4), write(seat, 5, 8)]
    take_back(seat, 6)
    with pytest.raises(summaries.Outdated):
        summaries.write(seat.id, 1, 1, 8, "too much", {one.id for one in small})
    assert told(seat) == ["1 to 4"]


def test_none_is_written_over_another_nor_twice():
    seat = long_past(20)
    write(seat, 3, 6)
    for first, last in ((3, 6), (1, 3), (6, 9), (4, 5)):
        with pytest.raises(summaries.Outdated):
            write(seat, first, last)
    assert told(seat) == ["3 to 6"]


def test_of_an_agent_that_was_started_afresh_none_from_before_stands_nor_is_written():
    seat = long_past(20)
    write(seat, 1, 4)
    Seat.objects.filter(id=seat.id).update(fresh_from=6)
    assert told(seat) == []
    with pytest.raises(summaries.Outdated):
        write(seat, 5, 8)
    write(seat, 7, 8)
    assert told(seat) == ["7 to 8"]


def test_a_hole_of_which_nothing_may_be_told_is_kept_as_such():
    seat = long_past(6)
    now = timezone.now()
    Delivery.objects.filter(seat=seat).update(withheld_at=now)
    Utterance.objects.filter(seat=seat).update(withheld_at=now)
    summaries.write(seat.id, 0, 1, 6, "", set())
    assert told(seat) == [""]
