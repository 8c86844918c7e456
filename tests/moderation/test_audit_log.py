"""The audit log in the back office: newest first, found by deed, session, actor and date, and never changed."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from messaging.actions.manage_members import add_member, remove_member
from messaging.actions.open_session import open_session
from messaging.roster.models import Person
from messaging.transcript.models import AuditEntry
from tests.cast import Room, person
from tests.moderation.test_admin import browser, path

pytestmark = pytest.mark.django_db


@pytest.fixture
def room():
    made = Room.open()
    add_member(person("alex"), made.session, "xan", "member")
    remove_member(person("xan"), made.session, "xan")
    open_session(Person.objects.get(handle__spelled="sam"), title="Plans", slug="plans")
    return made


def shown(**query: str) -> list[AuditEntry]:
    answer = browser("alex").get(path(AuditEntry), query)
    assert answer.status_code == 200, answer.url
    return list(answer.context["cl"].result_list)


def test_it_is_newest_first_with_the_sessions_slugs(room):
    rows = shown()
    assert [row.at for row in rows] == sorted((row.at for row in rows), reverse=True)
    assert (rows[0].actor, rows[0].slug) == ("sam", "plans")


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        (lambda _: {"verb__exact": "left"}, lambda row, _: row.verb == "left"),
        (lambda _: {"actor": "sam"}, lambda row, _: row.actor == "sam"),
        (lambda room: {"session": str(room.session.id)}, lambda row, room: row.session == room.session.id),
        (lambda _: {"at__gte": str(timezone.now() + timedelta(days=1))}, lambda _, __: False),
        (lambda _: {"at__gte": str(timezone.now() - timedelta(days=1))}, lambda _, __: True),
    ],
    ids=["deed", "actor", "session", "from tomorrow", "from yesterday"],
)
def test_it_is_found_by(room, query, kept):
    wanted = {row.id for row in AuditEntry.objects.all() if kept(row, room)}
    assert {row.id for row in shown(**query(room))} == wanted


def test_any_other_question_is_not_answered(room):
    answer = browser("alex").get(path(AuditEntry), {"detail__icontains": "xan"})
    assert answer.status_code in (302, 400)


def test_its_pages_change_nothing(room):
    row = AuditEntry.objects.first()
    alex = browser("alex")
    assert alex.get(path(AuditEntry, row.pk, "change")).status_code == 200
    assert alex.post(path(AuditEntry, row.pk, "change"), {"actor": "sam"}).status_code == 403
    assert alex.post(path(AuditEntry, row.pk, "delete"), {"post": "yes"}).status_code == 403


def test_who_is_no_staff_does_not_see_it(room):
    assert browser("mo").get(path(AuditEntry)).status_code == 302


def test_no_text_stands_in_it(room):
    room.say("alex", "kumquat")
    room.refused("gus", "kumquat for the agent", "active_agent")
    assert "kumquat" not in browser("alex").get(path(AuditEntry)).content.decode()
