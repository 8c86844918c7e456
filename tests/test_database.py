"""The tests' own ground: what they begin with is what the verbs make, and what they commit is gone after them."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.apps import apps
from django.db import connection, transaction
from django.test import TransactionTestCase
from django.utils import timezone

from messaging.actions import demo as verbs
from messaging.journal.models import Clock
from messaging.mailbox.models import Seat
from messaging.roster.models import Account, Installation, Membership, Person, Session
from messaging.transcript import triggers
from messaging.transcript.models import AuditEntry
from tests import database, demo
from tests.cast import Room


def told() -> Counter[tuple[Any, ...]]:
    """Every row of the house, with what a key stands for in place of the key, and without times and chance."""
    models = apps.get_models(include_auto_created=True)
    rows = [(model, row) for model in models for row in model._base_manager.values()]
    plain = {(model, row[model._meta.pk.attname]): words(model, row) for model, row in rows}
    known = {key: said for (_, key), said in plain.items() if isinstance(key, UUID)}
    told = []
    for model, row in rows:
        links = [known.get(value, "?") for value in row.values() if isinstance(value, UUID)]
        account = [plain[(Account, row["account_id"])]] if "account_id" in row else []
        told.append((model.__name__, *words(model, row), *links, *account))
    return Counter(told)


def words(model: Any, row: dict[str, Any]) -> tuple[str, ...]:
    chance = {"id", "account_id", "password"}
    kept = [(name, value) for name, value in row.items() if name not in chance]
    return tuple(f"{name}={value}" for name, value in kept if not isinstance(value, UUID | datetime))


@pytest.mark.django_db
def test_the_demo_laid_down_is_the_demo_that_the_verbs_make():
    with transaction.atomic():
        verbs.seed()
        made = told()
        transaction.set_rollback(True)
    assert not Person.objects.exists()
    session = demo.laid()
    assert told() == made
    assert (session.slug, session.active_agent.handle.spelled) == ("welcome", "mirror")
    # The control: one membership's role, and it is another.
    Membership.objects.filter(role="viewer").update(role="member")
    assert told() != made


@pytest.mark.django_db
def test_it_is_laid_down_under_new_keys_and_as_of_now():
    before = timezone.now()
    with transaction.atomic():
        first = demo.laid().id
        transaction.set_rollback(True)
    second = demo.laid()
    assert second.id != first
    assert Clock.objects.filter(session=first).count() == Seat.objects.filter(session=first).count() == 0
    times = Membership.objects.filter(session=second).values_list("joined_at", flat=True)
    assert len(set(times)) == 7
    assert all(before - timedelta(seconds=5) < one <= timezone.now() for one in times)


@pytest.mark.django_db
def test_where_somebody_is_already_it_is_made_by_the_verbs():
    verbs._person("sam", "Sam the first")
    Room.open()
    assert Person.objects.get(handle__spelled="sam").name == "Sam the first"
    assert Membership.objects.filter(person__handle__spelled="sam").get().role == "member"
    known = set(Person.objects.values_list("id", flat=True))
    Room.open()
    assert set(Person.objects.values_list("id", flat=True)) == known


class Case(TransactionTestCase):
    """Somebody to be emptied after."""

    databases = {"default"}


@pytest.fixture
def fresh() -> database.Database:
    found = database.Database()
    found.remember()
    return found


@pytest.mark.django_db(transaction=True)
def test_what_is_committed_is_gone_and_the_first_session_is_there_again(fresh):
    Room.open().say("alex", "hello", "active_agent")
    assert AuditEntry.objects.exists()
    fresh.empty(Case())
    assert [one.slug for one in Session.objects.all()] == ["open"]
    assert [one.session for one in Clock.objects.all()] == [Session.objects.get().id]
    assert [one for one in fresh.tables if database._holds(one)] == ["journal_clock", "roster_session"]
    assert not Installation.objects.exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("table", ["roster_membership", "transcript_auditentry"])
def test_what_a_test_takes_from_the_schema_is_there_again(fresh, table):
    with connection.cursor() as cursor:
        gone = [name for name in triggers_of(table) if "delete" in name]
        assert gone
        for name in gone:
            cursor.execute(f"DROP TRIGGER {name}" + (f" ON {table}" if connection.vendor == "postgresql" else ""))
    assert not set(gone) & set(triggers_of(table))
    fresh.empty(Case())
    assert set(gone) <= set(triggers_of(table))


@pytest.mark.django_db(transaction=True)
def test_the_audit_log_is_kept_again_when_it_was_emptied(fresh):
    Room.open()
    there = triggers_of(triggers.TABLE)
    fresh.empty(Case())
    assert triggers_of(triggers.TABLE) == there


def triggers_of(table: str) -> list[str]:
    lines = {
        "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s ORDER BY 1",
        "postgresql": "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgrelid = %s::regclass ORDER BY 1",
    }
    with connection.cursor() as cursor:
        cursor.execute(lines[connection.vendor], [table])
        return [name for (name,) in cursor.fetchall()]


@pytest.mark.parametrize(
    ("marks", "fixtures", "cls", "expected"),
    [
        ([], [], None, False),
        ([], ["tmp_path", "settings"], None, False),
        (["django_db"], [], None, True),
        (["skipif"], [], None, True),
        ([], ["db", "django_db_setup"], None, True),
        ([], [], Case, True),
    ],
)
def test_who_asks_for_the_database(marks, fixtures, cls, expected):
    class Item:
        fixturenames = fixtures

        def get_closest_marker(self, name: str) -> object:
            return name if name in marks else None

    item: Any = Item()
    item.cls = cls
    assert database.asks(item) is expected


def test_this_one_asks_for_nothing(request):
    assert not database.asks(request.node)


def test_this_one_asks_by_a_fixture(request, transactional_db):
    assert database.asks(request.node)
