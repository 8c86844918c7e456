"""How far a look back goes, and what it reads for it."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from messaging.domain.disposition import Disposition
from messaging.mailbox import shown
from messaging.mailbox.models import Delivery, Purpose, Seat, Transition, Utterance
from tests.mailbox import cast

pytestmark = pytest.mark.django_db
CANARY = "CANARY-5c1d"


def long_past(rows: int, text: str = "x" * 200, **fields: Any) -> Seat:
    """A seat that was shown, and said, so many things by turns."""
    seat, now = cast.mirror(**fields), timezone.now()
    heard = [
        Delivery(
            seat=seat, message=uuid4(), place=n, purpose=Purpose.CONTEXT, author="alex", author_kind="human",
            author_name="Alex", text=f"{n} {text}", audience="everyone", said_at=now, state=Disposition.DELIVERED,
            step=3, number=n, cleared_at=now, delivered_at=now, changed_at=now,
        )
        for n in range(1, rows + 1, 2)
    ]  # fmt: skip
    with transaction.atomic():
        _write(heard, now)
    Utterance.objects.bulk_create(
        Utterance(seat=seat, kind="answer", text=f"{n} {text}", number=n, message=uuid4(), said_at=now)
        for n in range(2, rows + 1, 2)
    )
    Seat.objects.filter(id=seat.id).update(shown=rows, placed=rows)
    return Seat.objects.get(id=seat.id)


def _write(heard: list[Delivery], now: datetime) -> None:
    """A delivery's steps before itself, as the database wants it."""
    states = ("", Disposition.ACCEPTED, Disposition.QUEUED, Disposition.DELIVERED)
    Transition.objects.bulk_create(
        [
            Transition(delivery=row, step=step, before=states[step - 1], after=states[step], by="alex", at=now)
            for step in (1, 2, 3)
            for row in heard
        ]
    )
    Delivery.objects.bulk_create(heard)


def numbers(stretch: shown.Stretch) -> list[int]:
    return sorted(row.number or 0 for row in stretch.rows)


def test_both_kinds_up_to_the_bound_without_a_hole():
    seat = long_past(100)
    got = shown.newest(seat, 5000)
    assert numbers(got) == list(range(got.first, 101))
    assert got.last == 100
    assert 5000 < sum(len(row.text) for row in got.rows) < 10_000


def test_no_further_back_than_it_is_told_and_as_far_as_it_must():
    seat = long_past(100)
    assert numbers(shown.newest(seat, 10**6, after=90)) == list(range(91, 101))
    assert numbers(shown.newest(seat, 10**6, after=90, until=95)) == list(range(91, 96))
    assert shown.newest(seat, 10, back_to=20).first <= 20
    assert shown.newest(seat, 10).first > 80


def test_of_an_agent_that_was_started_afresh_nothing_older_is_read():
    seat = long_past(50)
    seat.fresh_from = 40
    assert numbers(shown.newest(seat, 10**6)) == list(range(41, 51))


def test_what_was_taken_back_and_what_was_never_shown_is_left_out():
    seat = long_past(10)
    now = timezone.now()
    Delivery.objects.filter(number=3).update(withheld_at=now)
    Utterance.objects.filter(number=4).update(withheld_at=now)
    cast.aside(seat, CANARY)
    got = shown.newest(Seat.objects.get(id=seat.id), 10**6)
    assert numbers(got) == [1, 2, 5, 6, 7, 8, 9, 10]
    assert CANARY not in str([row.text for row in got.rows])


@pytest.mark.parametrize("most", [500, 3000, 20_000, 98_304])
def test_of_ten_thousand_rows_it_reads_at_most_twice_what_fits(most):
    seat = long_past(10_000)
    with CaptureQueriesContext(connection) as asked:
        got = shown.newest(seat, most)
    fits, spent = 0, 0
    for row in sorted(got.rows, key=lambda row: -(row.number or 0)):
        spent += len(row.text.encode())
        fits += spent <= most
    assert len(got.rows) <= max(2 * fits, shown.FIRST_LOOK)
    assert len(asked) <= 24
