"""What goes into the audit log: with each deed in its transaction, and of refusals each once a minute."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.db import DatabaseError, transaction
from django.db.transaction import TransactionManagementError

from messaging.actions import audit
from messaging.actions.audit import Recent, note, refused
from messaging.actions.manage_members import add_member, change_role, remove_member
from messaging.actions.open_session import open_session
from messaging.domain.audit import Verb
from messaging.journal import metrics
from messaging.roster.access import Forbidden
from messaging.roster.models import Membership, Person
from messaging.transcript.models import AuditEntry
from tests.cast import Room, person

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_refusals_yet():
    audit.forget()
    yield
    audit.forget()


@pytest.fixture
def room():
    return Room.open()


def told(*verbs: Verb) -> list[tuple[str, str, str]]:
    """Verb, actor, and the handle that it was about."""
    rows = AuditEntry.objects.filter(verb__in=verbs).order_by("at", "id")
    return [(row.verb, row.actor, row.detail.get("handle", "")) for row in rows]


def counted(capability: str) -> float:
    return float(metrics.unauthorized.labels(capability)._value.get())


class TestDeeds:
    def test_coming_changing_and_leaving_say_who_did_it_to_whom(self, room):
        add_member(person("mo"), room.session, "xan", "viewer")
        change_role(person("alex"), room.session, "xan", "member")
        remove_member(person("xan"), room.session, "xan")
        rows = AuditEntry.objects.filter(detail__handle="xan").order_by("at")
        assert [(row.verb, row.actor, row.session) for row in rows] == [
            ("joined", "mo", room.session.id),
            ("role", "alex", room.session.id),
            ("left", "xan", room.session.id),
        ]
        assert rows[1].detail == {"handle": "xan", "role": "member", "before": "viewer"}
        membership = Membership.objects.get(session=room.session, person__handle__spelled="xan")
        assert {row.about for row in rows} == {membership.id}

    def test_what_changes_nothing_leaves_nothing(self, room):
        before = AuditEntry.objects.count()
        add_member(person("alex"), room.session, "sam", "member")
        assert AuditEntry.objects.count() == before

    def test_a_deed_that_is_rolled_back_was_none(self, room):
        before = AuditEntry.objects.count()
        with pytest.raises(RuntimeError), transaction.atomic():
            add_member(person("alex"), room.session, "xan", "member")
            raise RuntimeError
        assert AuditEntry.objects.count() == before

    def test_a_deed_whose_entry_cannot_be_written_is_not_done(self, room, monkeypatch):
        def broken(**_):
            raise DatabaseError

        monkeypatch.setattr(AuditEntry.objects, "create", broken)
        with pytest.raises(DatabaseError), transaction.atomic():
            add_member(person("alex"), room.session, "xan", "member")
        assert not Membership.objects.filter(session=room.session, person__handle__spelled="xan").exists()

    def test_a_session_is_opened_by_somebody(self, room):
        made = open_session(Person.objects.get(handle__spelled="sam"), title="Plans")
        rows = AuditEntry.objects.filter(session=made.id).order_by("at")
        assert [(row.verb, row.actor) for row in rows] == [("session", "sam"), ("joined", "sam")]

    def test_a_title_is_peoples_words_and_stands_in_no_entry(self, room):
        open_session(Person.objects.get(handle__spelled="sam"), title="kumquat")
        assert not AuditEntry.objects.filter(detail__icontains="kumquat").exists()


@pytest.mark.django_db(transaction=True)
def test_an_entry_without_a_transaction_is_refused():
    with pytest.raises(TransactionManagementError):
        note(Verb.READ, "alex")
    assert not AuditEntry.objects.exists()
    with transaction.atomic():
        note(Verb.READ, "alex")
    assert AuditEntry.objects.count() == 1


class TestRefusals:
    def test_each_is_counted_and_each_kind_written_down_once_a_minute(self, room):
        before = counted("stop")
        for _ in range(3):
            refused(person("vic"), room.session.id, "stop", "no_capability")
        refused(person("gus"), room.session.id, "stop", "no_capability")
        refused(person("vic"), room.session.id, "steer", "no_capability")
        refused(person("vic"), uuid4(), "stop", "no_capability")
        assert counted("stop") - before == 5
        rows = [(row.actor, row.session == room.session.id, row.detail["capability"])
                for row in AuditEntry.objects.filter(verb="refused").order_by("at")]  # fmt: skip
        assert rows == [("vic", True, "stop"), ("gus", True, "stop"), ("vic", True, "steer"), ("vic", False, "stop")]

    def test_without_an_actor_it_is_counted_alone(self):
        before = counted("other")
        refused("", None, "", "refused")
        assert counted("other") - before == 1
        assert not AuditEntry.objects.exists()

    def test_a_label_is_never_a_callers_word(self):
        before = counted("other")
        refused("vic", None, "kumquat", "no_capability")
        assert counted("other") - before == 1
        assert "kumquat" not in {key for (key,) in metrics.unauthorized._metrics}

    def test_what_cannot_be_written_down_fails_nobody_and_is_tried_again(self, room, monkeypatch):
        def broken(**_):
            raise DatabaseError

        with monkeypatch.context() as patched:
            patched.setattr(AuditEntry.objects, "create", broken)
            refused("vic", room.session.id, "stop", "no_capability")
        assert told(Verb.REFUSED) == []
        refused("vic", room.session.id, "stop", "no_capability")
        assert told(Verb.REFUSED) == [("refused", "vic", "")]

    def test_a_forbidden_deed_says_what_was_lacking_and_where(self, room):
        with pytest.raises(Forbidden) as caught:
            add_member(person("vic"), room.session, "xan", "member")
        assert (caught.value.capability, caught.value.session) == ("manage_members", room.session.id)
        refusal = room.refused("vic", "hi", "active_agent")
        assert (refusal.status, refusal.capability, refusal.session) == (403, "post_agent", room.session.id)


class TestRecent:
    def test_the_same_is_new_again_after_a_minute(self):
        now = 0.0
        recent = Recent(clock=lambda: now)
        key = ("vic", None, "stop")
        assert [recent.is_new(key), recent.is_new(key)] == [True, False]
        now = 59.9
        assert not recent.is_new(key)
        now = 60.0
        assert recent.is_new(key)

    def test_it_holds_no_more_than_its_bound_and_forgets_the_oldest(self):
        recent = Recent(most=3)
        keys = [(f"p{n}", None, "stop") for n in range(5)]
        for key in keys:
            assert recent.is_new(key)
        assert len(recent._seen) == 3
        assert [recent.is_new(key) for key in keys[2:]] == [False] * 3
        assert recent.is_new(keys[0])
