"""A past that outgrows its requests: summed up in time, once, and anew where something in it is taken back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Self

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from messaging.agents import past, turn, watch
from messaging.agents.context import Digest, Heard, Recap, Request, cost
from messaging.agents.providers import prompt
from messaging.agents.providers.base import ProviderError
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Attempt, Delivery, Seat, Summary, Turn
from messaging.mailbox.withhold import withhold
from tests.agents.fakes import Digesting, put_in
from tests.mailbox import cast
from tests.mailbox.test_shown import long_past

pytestmark = pytest.mark.django_db
CANARY = "CANARY-91ab"


def never() -> bool:
    return False


def words(digest: Digest) -> Iterator[str]:
    """What a model that misses nothing might say: the first word of each line."""
    yield "told of: " + " ".join(line.text.split()[0] for line in digest.lines)


@pytest.fixture
def model(monkeypatch) -> Digesting:
    return put_in(monkeypatch, Digesting(words))


def ask(seat: Seat, text: str = "and now?") -> None:
    """A turn on this."""
    cast.told(seat, text)
    held = claim(seat.id)
    assert held is not None
    turn.run(held, never)


def tidied(seat: Seat) -> None:
    """As often as it takes until there is nothing left to do."""
    for _ in range(300):
        before = Summary.objects.count()
        past.tidy(seat.id, never)
        if Summary.objects.count() == before:
            return


def told(request: Request, budget: int = 8192) -> str:
    """What a model's library is handed."""
    return "\n".join(one.text for one in prompt.conversation(request, budget))


def all_told(model: Digesting) -> str:
    digests = [prompt.digest(one)[1] for one in model.digests_asked]
    return "\n".join([*map(told, model.requests), *digests])


def test_a_short_past_is_told_as_it_is(model):
    seat = long_past(10, provider="fake")
    ask(seat)
    past.tidy(seat.id, never)
    assert model.digests_asked == []
    assert len(model.requests[0].lines) == 11


def test_what_grew_long_is_summed_up_between_turns_and_told_by_its_summary(model):
    seat = long_past(30, provider="fake")
    past.tidy(seat.id, never)
    [kept] = Summary.objects.all()
    assert kept.first == 1
    ask(seat)
    lines = model.requests[0].lines
    assert isinstance(lines[0], Recap)
    assert lines[0].text == kept.text
    assert [line.number for line in lines[1:]] == list(range(kept.last + 1, 32))


def test_where_rows_would_be_left_out_they_are_summed_up_before_the_answer(model):
    seat = long_past(60, provider="fake")
    ask(seat)
    [request] = model.requests
    recap = request.lines[0]
    assert isinstance(recap, Recap)
    assert [line.number for line in request.lines[1:]] == list(range(recap.number + 1, 62))
    assert sum(map(cost, request.lines)) <= model.budget(seat.settings)
    assert Turn.objects.get().state == "finished"


@pytest.mark.parametrize("reason", ["provider_error", "provider_auth"])
def test_a_model_that_makes_no_summary_still_answers_with_what_fits(monkeypatch, reason):
    def fails(_: Digest) -> Iterator[str]:
        yield "half of"
        raise ProviderError(reason)

    model = put_in(monkeypatch, Digesting(fails))
    seat = long_past(60, provider="fake")
    ask(seat)
    assert Turn.objects.get().state == "finished"
    assert Summary.objects.count() == 0
    sent = told(model.requests[0])
    assert sent.endswith("and now?")
    assert len(sent.encode()) <= model.budget(seat.settings)


def test_a_model_that_breaks_over_a_summary_breaks_nothing_else(monkeypatch):
    def breaks(_: Digest) -> Iterator[str]:
        yield "half of"
        raise ValueError(CANARY)

    put_in(monkeypatch, Digesting(breaks))
    ask(long_past(60, provider="fake"))
    assert Turn.objects.get().state == "finished"


def test_a_turn_that_is_stopped_while_its_past_is_summed_up_ends_there(monkeypatch):
    def stopped_meanwhile(_: Digest) -> Iterator[str]:
        cast.stop(Turn.objects.get().id)
        yield "too late"

    monkeypatch.setattr(watch, "LOOK_EVERY", 0.0)
    model = put_in(monkeypatch, Digesting(stopped_meanwhile))
    ask(long_past(60, provider="fake"))
    assert model.requests == []
    assert Summary.objects.count() == 0
    assert Turn.objects.get().state == "stopped"


def test_a_process_that_ends_while_a_past_is_summed_up_leaves_the_turn_to_the_next(monkeypatch):
    ending = [False]

    def ends(digest: Digest) -> Iterator[str]:
        ending[0] = True
        yield "half of"

    model = put_in(monkeypatch, Digesting(ends))
    seat = long_past(60, provider="fake")
    cast.told(seat, "and now?")
    held = claim(seat.id)
    assert held is not None
    turn.run(held, lambda: ending[0])
    assert Turn.objects.get().state == "running"
    assert Attempt.objects.get().reason == "interrupted"
    assert (Summary.objects.count(), model.requests) == (0, [])
    cast.backoff_passes(held.turn)
    again = claim(seat.id)
    assert again is not None
    put_in(monkeypatch, Digesting(words))
    turn.run(again, never)
    assert Turn.objects.get().state == "finished"
    assert Summary.objects.count() == 1


def test_what_is_taken_back_is_in_no_later_request_and_its_summary_is_made_anew(model):
    seat = long_past(30, provider="fake")
    row = Delivery.objects.get(seat=seat, number=5)
    Delivery.objects.filter(id=row.id).update(text=f"{CANARY} {row.text}")
    tidied(seat)
    assert CANARY in Summary.objects.get(withheld_at=None).text, "the control: a summary that holds it"
    with transaction.atomic():
        withhold(row.message)
    model.digests_asked.clear()
    ask(seat, "first")
    tidied(seat)
    ask(seat, "second")
    assert CANARY not in all_told(model)
    assert any(isinstance(line, Recap) for line in model.requests[-1].lines)
    assert CANARY not in str(list(Summary.objects.filter(withheld_at=None).values_list("text", flat=True)))


def test_an_agent_that_was_started_afresh_is_told_no_summary_from_before(model):
    seat = long_past(30, provider="fake")
    past.tidy(seat.id, never)
    Seat.objects.filter(id=seat.id).update(fresh_from=30)
    ask(seat)
    assert [line.text for line in model.requests[0].lines] == ["and now?"]


def test_a_summary_of_another_seat_is_never_told(model):
    other, seat = long_past(30, provider="fake"), long_past(10, provider="fake")
    past.tidy(other.id, never)
    Summary.objects.update(text=CANARY)
    ask(seat)
    assert CANARY not in all_told(model)


def test_one_that_makes_no_digests_is_shown_the_newest_that_fit():
    seat = long_past(400, text="x" * 500)
    past.tidy(seat.id, never)
    ask(seat)
    assert Summary.objects.count() == 0
    assert Turn.objects.get().state == "finished"


class TestTenThousandMessages:
    """A session of 10,000 messages, served by what a request of ordinary size holds."""

    BUDGET = 32 * 1024

    @pytest.fixture
    def seat(self) -> Seat:
        return long_past(10_000, text="x" * 300, provider="fake", settings={"context_bytes": self.BUDGET})

    def test_the_request_stays_within_its_budget_and_reads_at_most_twice_what_it_uses(self, seat, model):
        ask(seat)
        tidied(seat)
        cast.told(seat, "and now?")
        held = claim(seat.id)
        assert held is not None
        with Fetched() as fetched:
            turn.run(held, never)
        request = model.requests[-1]
        assert sum(map(cost, request.lines)) <= self.BUDGET
        assert len(told(request, self.BUDGET).encode()) <= self.BUDGET
        assert isinstance(request.lines[0], Recap)
        assert request.lines[0].first == 1, "the whole past stands in it"
        assert covered(request) == list(range(1, 10_004))
        assert fetched.of("mailbox_delivery", "mailbox_utterance", "mailbox_summary") <= 2 * len(request.lines)

    def test_no_summary_asks_for_more_than_a_request_holds(self, seat, model):
        ask(seat)
        tidied(seat)
        assert len(model.digests_asked) > 10
        assert max(len(prompt.digest(one)[1].encode()) for one in model.digests_asked) <= self.BUDGET * 1.1

    def test_one_message_taken_back_costs_a_few_summaries(self, seat, model):
        ask(seat)
        tidied(seat)
        with transaction.atomic():
            withhold(Delivery.objects.get(seat=seat, number=5001).message)
        model.digests_asked.clear()
        tidied(seat)
        assert 1 <= len(model.digests_asked) <= 6
        ask(seat)
        assert 5001 not in [line.number for line in model.requests[-1].lines if isinstance(line, Heard)]
        assert covered(model.requests[-1])[:1] == [1]


def covered(request: Request) -> list[int]:
    """The seat's numbers that stand in a request, by themselves or in a summary."""
    numbers: list[int] = []
    for line in request.lines:
        numbers.extend(range(line.first, line.number + 1) if isinstance(line, Recap) else [line.number])
    return numbers


class Fetched:
    """Counts the rows that queries on these tables bring, by asking each again."""

    def __enter__(self) -> Self:
        self._asked = CaptureQueriesContext(connection)
        self._asked.__enter__()
        return self

    def __exit__(self, *fault: object) -> None:
        self._asked.__exit__(None, None, None)

    def of(self, *tables: str) -> int:
        selects = [one["sql"] for one in self._asked.captured_queries if one["sql"].startswith("SELECT")]
        wanted = [sql for sql in selects if any(f'FROM "{table}"' in sql for table in tables)]
        return sum(self._count(sql) for sql in wanted)

    @staticmethod
    def _count(sql: str) -> int:
        with connection.cursor() as cursor:
            cursor.execute(sql.replace("%", "%%") if connection.vendor == "sqlite" else sql)
            return len(cursor.fetchall())
