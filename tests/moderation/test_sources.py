"""The page of a source: registered and changed by its form, looked at again, and what was found there."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.messages import get_messages
from django.utils import timezone

from messaging.actions import audit
from messaging.actions.register_source import register_source
from messaging.mailbox.models import Source
from messaging.roster.models import Account, Agent
from messaging.transcript.models import AuditEntry
from tests.cast import Room
from tests.moderation.test_admin import browser, path

pytestmark = pytest.mark.django_db
ADD = path(Source, "add")
GIVEN = {
    "name": "things",
    "transport": "stdio",
    "enabled": "on",
    "command": "/usr/bin/things\n--quiet",
    "env": "ACME_API_KEY, TZ",
}
TOOL = {"name": "read", "description": "Reads <script>alert(1)</script>", "schema": {}, "acts": False, "left_out": ""}


@pytest.fixture
def room():
    audit.forget()
    return Room.open()


def row(name="things"):
    return Source.objects.get(name=name)


def things(**settings):
    return register_source(None, "things", transport="stdio", settings={"command": ["things"]} | settings)


def page_of(source):
    return path(Source, source.pk, "change")


class TestRegistering:
    def test_each_field_becomes_what_the_source_is(self, room):
        assert browser("alex").post(ADD, GIVEN | {"timeout": "9.5"}).status_code == 302
        made = row()
        assert made.settings == {
            "command": ["/usr/bin/things", "--quiet"],
            "env": ["ACME_API_KEY", "TZ"],
            "timeout": 9.5,
        }
        assert (made.transport, made.enabled, made.tools, made.listed_at) == ("stdio", True, [], None)
        assert AuditEntry.objects.get(verb="source", about=made.id).actor == "alex"

    @pytest.mark.parametrize(
        ("change", "field", "words"),
        [
            ({"name": "Things"}, "name", "small letters"),
            ({"name": "two__lines"}, "name", "small letters"),
            ({"name": ""}, "name", "required"),
            ({"command": ""}, "command", "Is needed"),
            ({"command": "./things"}, "command", "whole path"),
            ({"env": "DATABASE_URL"}, "env", "none of them Earshot"),
            ({"env": "AGENTS_DATABASE_URL"}, "env", "none of them Earshot"),
            ({"timeout": "0"}, "timeout", "above 0"),
            ({"path": "/srv/papers"}, "path", "Is no setting of stdio"),
        ],
    )  # fmt: skip
    def test_what_does_not_fit_is_said_beside_its_field_and_nothing_is_kept(self, room, change, field, words):
        answer = browser("alex").post(ADD, GIVEN | change)
        assert answer.status_code == 200
        assert words in " ".join(answer.context["adminform"].form.errors[field])
        assert not Source.objects.exists()

    def test_a_name_is_given_once(self, room):
        things()
        answer = browser("alex").post(ADD, GIVEN)
        assert "is a source already" in " ".join(answer.context["adminform"].form.errors["name"])

    @pytest.mark.parametrize("handle", ["sam", "mo", "gus"])
    def test_who_is_no_staff_registers_none(self, room, handle):
        assert browser(handle).post(ADD, GIVEN).status_code == 302
        assert not Source.objects.exists()

    def test_nor_does_a_login_of_the_staff_that_is_nobody(self, room):
        Account.objects.create_superuser("nobody", password="x" * 12)
        answer = browser("nobody").post(ADD, GIVEN)
        assert not Source.objects.exists()
        assert any("no person" in str(one) for one in get_messages(answer.wsgi_request))


class TestChanging:
    def test_the_form_shows_what_is_kept_and_saves_the_same(self, room):
        source = things(env=["ACME_API_KEY"], timeout=9.5)
        form = browser("alex").get(page_of(source)).context["adminform"].form
        as_it_stands = {name: value for name, value in form.initial.items() if value not in (None, "", False)}
        assert browser("alex").post(page_of(source), as_it_stands).status_code == 302
        assert row().settings == source.settings
        assert not AuditEntry.objects.filter(verb="source", detail__change="settings").exists()

    def test_name_and_transport_stay_and_what_was_found_is_looked_for_anew(self, room):
        source = things()
        Source.objects.update(tools=[TOOL], listed_at=timezone.now())
        given = GIVEN | {"name": "other", "transport": "folder", "command": "others", "env": ""}
        assert browser("alex").post(page_of(source), given).status_code == 302
        changed = row()
        assert (changed.transport, changed.settings) == ("stdio", {"command": ["others"]})
        assert (changed.tools, changed.listed_at) == ([], None)
        told = AuditEntry.objects.get(verb="source", detail__change="settings").detail
        assert told["command"] == [["things"], ["others"]]

    def test_one_is_taken_out_of_use(self, room):
        source = things()
        given = {"command": "things"}
        assert browser("alex").post(page_of(source), given).status_code == 302
        assert not row().enabled
        assert "out of use" in browser("alex").get(page_of(source)).content.decode()


class TestLooking:
    def test_the_button_has_it_looked_at_again_and_that_is_on_record(self, room):
        source = things()
        Source.objects.update(listed_at=timezone.now() + timedelta(seconds=1), fault="source_unreachable")
        before = row().asked_at
        assert browser("alex").post(path(Source, source.pk, "look")).status_code == 302
        assert row().asked_at > before
        assert AuditEntry.objects.filter(verb="source", detail__change="asked", actor="alex").exists()

    def test_not_by_following_a_link_and_not_by_who_is_no_staff(self, room):
        source = things()
        before = row().asked_at
        assert browser("alex").get(path(Source, source.pk, "look")).status_code == 403
        assert browser("sam").post(path(Source, source.pk, "look")).status_code == 302
        assert row().asked_at == before

    def test_what_was_found_stands_there_escaped_and_what_is_not_offered_with_why(self, room):
        source = things()
        odd = TOOL | {"name": "odd!", "left_out": "name", "description": ""}
        acting = TOOL | {"name": "act", "acts": True}
        Source.objects.update(tools=[TOOL, odd, acting], listed_at=timezone.now())
        page = browser("alex").get(page_of(source)).content.decode()
        assert "<script>alert(1)" not in page
        assert "&lt;script&gt;alert(1)" in page
        assert "things__read" in page
        rows = browser("alex").get(page_of(source)).context["found"]["tools"]["rows"]
        assert [kind for _, kind, _ in rows] == [
            "only reads, as it says", "not offered: models take no tool of this name", "acts",
        ]  # fmt: skip

    def test_what_went_wrong_stands_there_in_words(self, room):
        source = things()
        Source.objects.update(fault="source_program", listed_at=timezone.now())
        assert "It has a program that could not be started." in browser("alex").get(page_of(source)).content.decode()
        assert "could not be started" in browser("alex").get(path(Source)).content.decode()

    def test_the_agents_that_have_it_are_named_and_no_others(self, room):
        source = things()
        Agent.objects.filter(handle__spelled="mirror").update(sources=["things"])
        Agent.objects.filter(handle__spelled="scout").update(sources=["thing"])
        found = browser("alex").get(page_of(source)).context["found"]
        assert [one.handle.spelled for one in found["agents"]] == ["mirror"]
