"""What the back office still shows of what nobody is to read any more."""

from __future__ import annotations

import pytest
from django.test import Client

from messaging.actions.delete import delete
from messaging.actions.edit import edit
from messaging.actions.reclassify import reclassify
from messaging.mailbox.models import Delivery, Utterance
from messaging.roster.models import Account
from messaging.transcript.models import Message, Revision
from tests.actions.deeds import answered
from tests.cast import Room, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def room():
    return Room.open()


def page(kind, key):
    client = Client()
    client.force_login(Account.objects.get(username="alex"))
    answer = client.get(f"/admin/{kind}/{key}/change/")
    assert answer.status_code == 200
    return answer.content.decode()


def test_a_deleted_text_is_not_read_off_its_delivery(room):
    message = room.say("sam", "canary-one", "active_agent")
    answered(room)
    delete(person("sam"), message.id)
    assert "canary-one" not in page("transcript/message", message.id)
    assert "canary-one" not in page("mailbox/delivery", Delivery.objects.get(message=message.id).id)


def test_nor_what_an_agent_said_off_its_utterance(room):
    room.say("sam", "a question", "active_agent")
    answered(room, "canary-two")
    said = Message.objects.get(text="canary-two")
    delete(person("mo"), said.id, "wrong")
    for row in Utterance.objects.filter(message=said.id):
        assert "canary-two" not in page("mailbox/utterance", row.id)


def test_what_a_message_said_while_it_was_direct_is_its_authors_alone(room):
    message = room.say("sam", "canary-three", "participant:mo")
    edit(person("sam"), message.id, "something harmless")
    reclassify(person("sam"), message.id, "participants", "for all")
    first = Revision.objects.get(message=message.id, n=1)
    assert "canary-three" not in page("transcript/revision", first.id)
