"""Who of the staff reads people's words in the back office is on record, and nobody else has to be."""

from __future__ import annotations

import pytest
from django.db import DatabaseError
from django.utils import timezone

from messaging.actions.collect import collect
from messaging.actions.delete import delete
from messaging.actions.edit import edit
from messaging.actions.reclassify import reclassify
from messaging.mailbox import say
from messaging.mailbox.models import Delivery, Utterance
from messaging.roster.models import Account, Session
from messaging.transcript.models import AuditEntry, Message, Revision
from tests.actions.deeds import answered, begun
from tests.cast import Room, agent, person
from tests.moderation.test_admin import browser, path

pytestmark = pytest.mark.django_db


@pytest.fixture
def room():
    made = Room.open()
    made.say("alex", "said to the room")
    made.say("sam", "kumquat for mo", "participant:mo")
    made.say("alex", "asked the agent", "active_agent")
    made.say(agent("scout"), "scout to all", "everyone")
    first = Message.objects.earliest("seq")
    Revision.objects.create(message=first, n=1, text="said first", at=timezone.now())
    direct = Message.objects.get(audience="participant")
    Revision.objects.create(message=direct, n=1, text="kumquat, once", at=timezone.now())
    return made


def read() -> list[tuple[str, object, object, str]]:
    rows = AuditEntry.objects.filter(verb="read").order_by("at")
    return [(row.actor, row.about, row.session, row.detail["what"]) for row in rows]


@pytest.mark.parametrize("model", [Message, Delivery, Utterance, Revision], ids=lambda one: one.__name__)
def test_a_page_with_words_is_on_record_once_an_hour_for_each_who_reads_it(room, model):
    row = model.objects.order_by("pk").first()
    alex = browser("alex")
    for _ in range(2):
        assert alex.get(path(model, row.pk, "change")).status_code == 200
    word = model._meta.model_name
    assert read() == [("alex", row.pk, room.session.id, word)]
    Account.objects.filter(username="mo").update(is_staff=True, is_superuser=True)
    browser("mo").get(path(model, row.pk, "change"))
    assert read()[1:] == [("mo", row.pk, room.session.id, word)]


def test_a_list_with_words_is_on_record_each_time_with_the_session_it_shows(room):
    alex = browser("alex")
    alex.get(path(Message))
    alex.get(path(Message), {"session__id__exact": str(room.session.id)})
    assert read() == [("alex", None, None, "list of messages"), ("alex", None, room.session.id, "list of messages")]


def test_lists_without_words_and_pages_of_other_things_are_not(room):
    alex = browser("alex")
    for model in (Delivery, Utterance, Session, AuditEntry):
        alex.get(path(model))
    alex.get(path(Session, room.session.pk, "change"))
    assert read() == []


def test_who_does_not_get_in_has_read_nothing(room):
    row = Message.objects.first()
    for handle in ("mo", "sam"):
        browser(handle).get(path(Message, row.pk, "change"))
        browser(handle).get(path(Message))
    assert read() == []


def test_who_may_see_no_messages_is_refused_and_has_read_nothing(room):
    """Staff without the right to that page."""
    Account.objects.filter(username="mo").update(is_staff=True)
    row = Message.objects.first()
    assert browser("mo").get(path(Message, row.pk, "change")).status_code == 403
    assert browser("mo").get(path(Message)).status_code == 403
    assert read() == []


def test_what_cannot_be_written_down_is_not_shown(room, monkeypatch):
    def broken(**_):
        raise DatabaseError

    row = Message.objects.get(audience="participants")
    alex = browser("alex")
    alex.raise_request_exception = False
    monkeypatch.setattr(AuditEntry.objects, "create", broken)
    answer = alex.get(path(Message, row.pk, "change"))
    assert answer.status_code == 500
    assert "said to the room" not in answer.content.decode()


def test_direct_and_deleted_messages_show_no_words_in_any_revision(room):
    alex = browser("alex")
    shown = "".join(alex.get(path(model)).content.decode() for model in (Message, Revision))
    shown += "".join(alex.get(path(Revision, row.pk, "change")).content.decode() for row in Revision.objects.all())
    assert "kumquat" not in shown
    assert "said first" in shown
    Message.objects.filter(audience="participants").update(deleted_at=timezone.now())
    row = Revision.objects.get(text="said first")
    pages = alex.get(path(Revision, row.pk, "change")).content.decode() + alex.get(path(Message)).content.decode()
    assert "said first" not in pages
    assert "said to the room" not in pages
    assert "asked the agent" in pages


WORDED = pytest.mark.parametrize("model", [Message, Revision, Delivery, Utterance], ids=lambda one: one.__name__)


def shown(model) -> str:
    """The list of a model's rows, and the page of each."""
    alex = browser("alex")
    found = [alex.get(path(model)), *(alex.get(path(model, row.pk, "change")) for row in model.objects.all())]
    assert {answer.status_code for answer in found} == {200}
    return "".join(answer.content.decode() for answer in found)


def exchange(room: Room, word: str) -> list[Message]:
    """A question that was edited, and its answer; the word is in all of their texts."""
    asked = room.say("alex", f"{word} at first", "active_agent")
    edit(person("alex"), asked.id, f"{word} in the end")
    answered(room, f"{word} to you")
    return list(Message.objects.filter(text__contains=word))


@WORDED
def test_what_a_deleted_message_said_is_shown_nowhere_and_what_another_said_still_is(model):
    room = Room.open()
    gone = exchange(room, "kumquat")
    exchange(room, "quince")
    assert "kumquat" in shown(model)
    for row in gone:
        delete(person("alex"), row.id, "not for here")
    after = shown(model)
    assert "kumquat" not in after
    assert "Deleted." in after
    assert "quince" in after


def test_what_was_taken_back_from_an_agent_is_shown_as_a_message_and_not_in_its_mailbox():
    room = Room.open()
    asked = room.say("alex", "kumquat", "active_agent")
    kept = room.say("sam", "quince", "active_agent")
    answered(room)
    reclassify(person("alex"), asked.id, "participants", "meant for people")
    assert "kumquat" in shown(Message)
    assert "kumquat" not in shown(Delivery)
    assert "quince" in shown(Delivery)
    assert room.delivery(kept, "mirror").withheld_at is None


def test_nor_are_the_pieces_of_an_answer_that_was_deleted():
    room = Room.open()
    for word in ("kumquat", "quince"):
        room.say("alex", "a question", "active_agent")
        held = begun(room)
        say.piece(held, 1, f"{word} and")
        say.answer(held, f"{word} and more")
        collect(room.session.id)
    assert "kumquat and" in shown(Utterance)
    delete(person("alex"), Message.objects.get(text="kumquat and more").id, "not for here")
    assert "kumquat" not in shown(Utterance)
    assert "quince and" in shown(Utterance)


def test_what_a_message_said_while_it_was_direct_is_not_shown_once_it_is_opened():
    room = Room.open()
    said = room.say("alex", "kumquat for sam", "participant:sam")
    edit(person("alex"), said.id, "quince for sam")
    reclassify(person("alex"), said.id, "participants", "it is for all")
    edit(person("alex"), said.id, "medlar for all")
    assert "kumquat" not in shown(Revision)
    assert "quince" in shown(Revision)
    assert "medlar" in shown(Revision)
