"""Registering sources and changing them: who may, what is on record, and which folders are nobody's."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ValidationError

from messaging.actions import source_terms
from messaging.actions.ask_source import ask_source
from messaging.actions.change_source import change_source
from messaging.actions.enrol import Taken
from messaging.actions.register_source import register_source
from messaging.mailbox.models import Source
from messaging.roster.access import Forbidden, Hidden
from messaging.transcript.models import AuditEntry
from tests.cast import Room, person

pytestmark = pytest.mark.django_db
COMMAND = {"command": ["things"]}


@pytest.fixture
def room():
    return Room.open()


def things(who=None, **more):
    return register_source(who, "things", **({"transport": "stdio", "settings": COMMAND} | more))


def deeds():
    return list(AuditEntry.objects.filter(verb="source").order_by("at").values_list("actor", "detail__change"))


def test_staff_does_all_of_it_and_it_is_on_record(room):
    alex = person("alex")
    source = things(alex)
    change_source(alex, "things", enabled=False)
    ask_source(alex, "things")
    assert deeds() == [("alex", "added"), ("alex", "settings"), ("alex", "asked")]
    assert Source.objects.get().asked_at > source.asked_at


@pytest.mark.parametrize("handle", ["sam", "mo", "gus"])
def test_nobody_else_does_any_of_it(room, handle):
    who = person(handle)
    with pytest.raises(Forbidden):
        things(who)
    things()
    with pytest.raises(Forbidden):
        change_source(who, "things", enabled=False)
    with pytest.raises(Forbidden):
        ask_source(who, "things")
    assert Source.objects.get().enabled
    assert [change for _, change in deeds()] == ["added"]


def test_what_stands_is_no_change(room):
    things()
    change_source(None, "things", settings=COMMAND, enabled=True)
    assert len(deeds()) == 1


def test_a_name_is_given_once_and_an_unknown_one_is_nothing(room):
    things()
    with pytest.raises(Taken):
        things()
    with pytest.raises(Hidden):
        change_source(None, "others", enabled=False)
    with pytest.raises(Hidden):
        ask_source(None, "others")


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"transport": "carrier"}, "transport"),
        ({"settings": {}}, "settings.command"),
        ({"transport": "http"}, "settings.command"),
    ],
)
def test_what_nobody_could_reach_is_refused_by_the_field(room, more, field):
    with pytest.raises(ValidationError) as refused:
        things(**more)
    assert list(refused.value.message_dict) == [field]
    assert not Source.objects.exists()


def test_a_change_that_does_not_fit_changes_nothing(room):
    things()
    with pytest.raises(ValidationError):
        change_source(None, "things", settings={"command": "things"})
    assert Source.objects.get().settings == COMMAND


class TestFolders:
    def folder(self, path):
        return register_source(None, "papers", transport="folder", settings={"path": str(path)})

    def test_one_beside_our_own_is_taken(self, room, tmp_path):
        assert self.folder(tmp_path).name == "papers"

    def test_our_own_is_not_nor_what_lies_in_it_nor_what_it_lies_in(self, room, tmp_path, monkeypatch):
        own = tmp_path / "srv" / "earshot"
        (own / "below").mkdir(parents=True)
        (tmp_path / "linked").symlink_to(own)
        monkeypatch.setattr(source_terms, "_own", lambda: [own])
        for path in (own, own / "below", own.parent, tmp_path, tmp_path / "linked", tmp_path / "linked" / "below"):
            with pytest.raises(ValidationError, match="Earshot's own"):
                self.folder(path)
        assert self.folder(tmp_path / "srv" / "others").name == "papers"

    def test_the_data_folder_is_our_own(self):
        assert Path(settings.ENVIRONMENT.home).resolve() in source_terms._own()
