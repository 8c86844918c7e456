"""The audit log in the back office: newest first, found by deed, session, actor and date, and never changed."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from collab.moderation.told import told
from messaging.actions import audit
from messaging.actions.manage_members import add_member, remove_member
from messaging.actions.open_session import open_session
from messaging.domain.audit import Verb
from messaging.domain.capability import Capability
from messaging.domain.wording import CAPABILITIES, CHANGES, DEEDS, done
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
        (lambda _: {"verb": "left"}, lambda row, _: row.verb == "left"),
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


def test_each_deed_is_told_in_words_and_to_the_second(room):
    audit.refused(person("gus"), room.session.id, Capability.POST_AGENT, "no_capability")
    page = browser("alex").get(path(AuditEntry))
    shown = page.content.decode()
    row = AuditEntry.objects.get(verb="refused")
    for words in (
        "was refused",
        "opened a session",
        "wanted to: ask the agent or tell everyone",
        "because: their role does not include it",
    ):
        assert words in shown
    assert f"{row.at:%Y-%m-%d %H:%M:%S}" in shown
    assert page.context["title"] == "Audit log"
    assert not any(code in shown for code in ("post_agent", "no_capability", "invitation_revoked<"))
    one = browser("alex").get(path(AuditEntry, row.pk, "change")).content.decode()
    assert "wanted to: ask the agent or tell everyone" in one
    assert "post_agent" not in one


def test_every_deed_and_every_capability_has_words():
    assert set(DEEDS) == set(Verb)
    for deed, change in CHANGES:
        assert done(deed, change) not in (deed, DEEDS[deed])
    assert done("a_later_one") == "a_later_one"
    assert set(CAPABILITIES) == set(Capability)


@pytest.mark.parametrize(
    ("detail", "words"),
    [
        ({"change": "settings", "guests_public": [False, True]}, "guests may ask: no → yes"),
        ({"change": "settings", "title": ["", ""]}, "title: changed"),
        (
            {"change": "settings", "roles": [None, {"viewer": ["post_human", "stop"], "guest": []}]},
            "roles: none → viewer may speak to people, stop an answer / guest may nothing",
        ),
        ({"agents": ["mirror", "scout"], "scope": ""}, "agents: mirror, scout"),
        ({"capability": "a_later_one", "code": "a_later_code"}, "wanted to: a_later_one; because: a later code"),
        ({}, ""),
    ],
)
def test_what_else_was_kept_is_told_in_words(detail, words):
    assert told(detail) == words


def test_it_stands_in_a_place_of_its_own():
    groups = settings.UNFOLD["SIDEBAR"]["navigation"]
    [group] = [one for one in groups if "Audit log" in [item["title"] for item in one["items"]]]
    assert group.get("title") != "Internals"


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
