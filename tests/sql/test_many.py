"""Many rows by one statement: as exact as the ORM, and as strict."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.transaction import TransactionManagementError
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from messaging.journal.models import Clock, Entry, Kind
from messaging.roster.models import Session
from messaging.sql import find, store
from messaging.transcript.models import Message

FIELDS = ("id", "slug", "title", "default_audience", "answers", "guests_public", "closed_at", "created_at")
#: What PostgreSQL keeps: no NUL, no half pairs.
TEXT = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]), max_size=60)
pytestmark = pytest.mark.django_db


def session(title="title", slug=None, **more):
    return Session(slug=slug or uuid4().hex, title=title, created_at=timezone.now(), **more)


class Exact(TestCase):
    """Hypothesis wants a transaction for each example."""

    @settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(st.tuples(TEXT, st.dictionaries(TEXT, TEXT, max_size=3)), min_size=1, max_size=5))
    def test_what_goes_in_comes_out(self, rows):
        own = session()
        own.save()
        now = timezone.now()
        objects = [
            Message(
                session=own, seq=n, author_kind="system", text=text, audience="system", source=source, created_at=now
            )
            for n, (text, source) in enumerate(rows)
        ]
        store.create(objects)
        kept = list(Message.objects.filter(session=own).order_by("seq"))
        assert [(row.text, row.source, row.created_at) for row in kept] == [(*row, now) for row in rows]
        assert [row.targets for row in kept] == [[] for _ in rows]
        assert [row.id for row in kept] == [one.id for one in objects]


@pytest.mark.parametrize("slug", ["x" * 65, "x" * 1000])
def test_a_value_that_is_too_long_is_refused_and_not_cut(slug):
    if connection.vendor == "sqlite":
        pytest.skip("SQLite does not bound text columns; the rules do, on both")
    with pytest.raises(DatabaseError), transaction.atomic():
        store.create([session(slug=slug)])


def test_a_taken_key_is_an_integrity_error_and_nothing_is_kept():
    one = session()
    with pytest.raises(IntegrityError), transaction.atomic():
        store.create([one, session(slug=one.slug)])
    assert not Session.objects.filter(id=one.id).exists()


def test_together_a_refusal_is_still_djangos_error_and_rolls_all_back():
    one, held = session(), uuid4()
    with pytest.raises(IntegrityError), transaction.atomic(), store.together():
        store.create([Clock(session=held)])
        store.create([one, session(slug=one.slug)])
    assert not Clock.objects.filter(session=held).exists()


def test_update_sets_each_row_and_leaves_the_others():
    clocks = [Clock.objects.create(session=uuid4()) for _ in range(4)]
    store.update(Clock, ("seq", "epoch"), {clock.session: (n, 1) for n, clock in enumerate(clocks[:3], 5)})
    kept = [Clock.objects.get(session=clock.session) for clock in clocks]
    assert [(clock.seq, clock.epoch) for clock in kept] == [(5, 1), (6, 1), (7, 1), (0, 0)]


def test_select_finds_exact_pairs_and_not_their_product():
    one, other = uuid4(), uuid4()
    rows = [(one, 1, Kind.MESSAGE, uuid4(), timezone.now()), (other, 2, Kind.MESSAGE, uuid4(), timezone.now())]
    store.insert(Entry, ("session", "seq", "kind", "ref", "at"), rows)
    found = find.rows(find.select(Entry, ("session", "seq"), [(one, 1), (one, 2), (other, 1)], ("session", "ref")))
    assert found == [(one, rows[0][3])]
    assert isinstance(found[0][0], UUID)


def test_lock_answers_in_the_order_of_the_keys():
    clocks = sorted(Clock.objects.create(session=uuid4()).session for _ in range(5))
    with transaction.atomic():
        locking = find.lock(Clock, ("session",), [(key,) for key in reversed(clocks)], ("session",))
        assert find.rows(locking) == [(key,) for key in clocks]


def test_several_questions_are_answered_in_their_order():
    one, other = (Clock.objects.create(session=uuid4()).session for _ in range(2))
    query = find.select(Clock, ("session",), [(one,)], ("session",))
    empty = find.select(Clock, ("session",), [], ("session",))
    last = find.select(Clock, ("session",), [(other,), (uuid4(),)], ("session", "seq"))
    assert find.answers(empty, query, last, empty) == [[], [(one,)], [(other, 0)], []]


def test_together_statements_see_those_before_them():
    held = uuid4()
    with store.together():
        store.create([Clock(session=held)])
        with store.together():
            store.update(Clock, ("seq",), {held: (7,)})
    assert Clock.objects.get(session=held).seq == 7


def test_what_fails_before_it_is_sent_leaves_nothing_behind():
    lost, kept = uuid4(), uuid4()
    with pytest.raises(ZeroDivisionError), transaction.atomic(), store.together():
        store.create([Clock(session=lost)])
        raise ZeroDivisionError
    store.create([Clock(session=kept)])
    assert [Clock.objects.filter(session=one).exists() for one in (lost, kept)] == [False, True]


def test_nothing_asks_nothing(django_assert_num_queries):
    with django_assert_num_queries(0):
        store.create([])
        store.update(Clock, ("seq",), {})
        assert find.rows(find.select(Entry, ("session", "seq"), [], ("ref",))) == []
        assert find.rows(find.lock(Clock, ("session",), [], ("session",))) == []


@pytest.mark.parametrize("n", [1, 50])
def test_one_statement_whatever_the_number(n, django_assert_num_queries):
    with django_assert_num_queries(1):
        store.create([Clock(session=uuid4()) for _ in range(n)])


@pytest.mark.django_db(transaction=True)
def test_nothing_runs_after_a_commit_that_has_travelled():
    if connection.vendor == "sqlite":
        pytest.skip("on SQLite the commit travels with nothing")
    held, other = uuid4(), uuid4()
    with pytest.raises(TransactionManagementError), transaction.atomic():
        with store.together(last=True):
            store.create([Clock(session=held)])
        Clock.objects.create(session=other)
    assert [Clock.objects.filter(session=one).exists() for one in (held, other)] == [True, False]
    with transaction.atomic():
        Clock.objects.create(session=other)
    assert Clock.objects.filter(session=other).exists()


@pytest.mark.django_db(transaction=True)
def test_within_another_transaction_no_commit_travels():
    held = uuid4()
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        with transaction.atomic(), store.together(last=True):
            store.create([Clock(session=held)])
        assert Clock.objects.filter(session=held).exists()
        raise ZeroDivisionError
    assert not Clock.objects.filter(session=held).exists()


@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_begins_with_a_question_is_one_until_its_end():
    held = uuid4()
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        find.rows(find.select(Clock, ("session",), [(held,)], ("session",)))
        Clock.objects.create(session=held)
        raise ZeroDivisionError
    assert not Clock.objects.filter(session=held).exists()
    Clock.objects.create(session=held)
    assert Clock.objects.filter(session=held).exists()
