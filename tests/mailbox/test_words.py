"""What an agent finds of what it was shown and said, and what nobody finds."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.utils import timezone
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from messaging.mailbox import words
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Delivery, Seat, Utterance
from messaging.mailbox.number import next_number
from tests.mailbox import cast

pytestmark = pytest.mark.django_db
#: What an older version did not have.
GONE = {
    "sqlite": ["DROP TABLE mailbox_words"],
    "postgresql": ["DROP INDEX mailbox_delivery_words", "DROP INDEX mailbox_utterance_words"],
}


def shown(seat: Seat, *texts: str) -> list[Delivery]:
    """Texts that the seat was shown, in its turns or along with them."""
    rows = [cast.aside(seat, text) for text in texts[:-1]] + [cast.told(seat, texts[-1])]
    held = claim(seat.id)
    assert held is not None
    cast.stop(held.turn)
    return rows


def said(seat: Seat, text: str, **fields: Any) -> Utterance:
    row = Seat.objects.get(id=seat.id)
    known = {"kind": "answer", "number": next_number(row), "said_at": timezone.now()}
    return Utterance.objects.create(seat=seat, text=text, **(known | fields))


def found(seat: Seat, wanted: str, most: int = 10) -> set[str]:
    got = words.find(Seat.objects.get(id=seat.id), wanted, most)
    return {row.text for row in got.heard} | {row.text for row in got.said}


def test_what_was_shown_and_what_was_said():
    seat = cast.mirror()
    shown(seat, "the parrot sleeps", "is the Parrot ill?", "a cat")
    said(seat, "no, the parrot rests")
    assert found(seat, "parrot") == {"the parrot sleeps", "is the Parrot ill?", "no, the parrot rests"}
    assert found(seat, "PARROT ill") == {"is the Parrot ill?"}
    assert found(seat, "dog") == set()


def test_rows_with_any_of_the_words_where_none_has_all():
    seat = cast.mirror()
    shown(seat, "the parrot sleeps", "a cat", "a dog")
    assert found(seat, "parrot cat unicorn") == {"the parrot sleeps", "a cat"}


def test_never_what_waits_what_was_taken_back_or_what_another_seat_was_shown():
    seat, other = cast.mirror(), cast.mirror()
    shown(other, "parrot of another seat")
    kept, gone = shown(seat, "parrot kept", "parrot taken back")
    Delivery.objects.filter(id=gone.id).update(withheld_at=timezone.now())
    cast.told(seat, "parrot that waits")
    said(seat, "parrot said and taken back", withheld_at=timezone.now())
    said(seat, "parrot, a piece", kind="piece", number=None)
    assert found(seat, "parrot") == {kept.text}


def test_of_an_agent_that_was_started_afresh_what_it_was_shown_since():
    seat = cast.mirror()
    shown(seat, "parrot before")
    Seat.objects.filter(id=seat.id).update(fresh_from=Seat.objects.get(id=seat.id).shown)
    shown(seat, "parrot since")
    assert found(seat, "parrot") == {"parrot since"}


def test_the_best_and_no_more_than_wished_for():
    seat = cast.mirror()
    shown(seat, *[f"parrot {'filler ' * n}" for n in range(5)], "parrot parrot parrot")
    got = words.find(Seat.objects.get(id=seat.id), "parrot", 2)
    assert len(got.heard) == 2
    assert got.heard[0].text == "parrot parrot parrot"


def test_a_text_that_is_blanked_is_found_no_more():
    seat = cast.mirror()
    rows = shown(seat, "parrot", "parrot too")
    Delivery.objects.filter(id=rows[0].id).update(text="")
    assert found(seat, "parrot") == {"parrot too"}


@pytest.mark.django_db(transaction=True)
def test_rows_of_an_older_version_are_in_it_too():
    seat = cast.mirror()
    shown(seat, "parrot")
    said(seat, "parrot said")
    with connection.cursor() as cursor:
        for line in GONE[connection.vendor]:
            cursor.execute(line)
    words.after_migrate()
    assert found(seat, "parrot") == {"parrot", "parrot said"}


@pytest.mark.parametrize("wanted", ["", " ", "_ - !", '"', "'", "\x00"])
def test_a_text_without_a_word_finds_nothing(wanted):
    seat = cast.mirror()
    shown(seat, "parrot")
    assert found(seat, wanted) == set()


class TestWhateverIsLookedFor(TestCase):
    @given(
        st.text(max_size=60)
        | st.sampled_from(["a AND b", 'x" OR seat:"', "NEAR(a b)", "text : *", "a:*|!(b)", "-a", "^a"])
    )
    def test_it_is_words_and_never_an_expression(self, wanted):
        seat, other = cast.mirror(), cast.mirror()
        shown(other, "secret a b x")
        shown(seat, "nothing of the kind")
        assert all("secret" not in text for text in found(seat, wanted))
