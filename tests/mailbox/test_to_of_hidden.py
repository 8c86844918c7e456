"""Whom a reply is for is told to an agent that never had the parent."""

from __future__ import annotations

import pytest

from messaging.actions.delete import delete
from messaging.actions.reclassify import reclassify
from messaging.agents import context
from messaging.agents.providers import prompt
from messaging.mailbox import shown
from messaging.mailbox.models import Delivery, Seat
from tests.actions.deeds import begun, put_out
from tests.api.test_deeds import Caller
from tests.cast import Room, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def room():
    return Room.open()


def told(held):
    """What the model is told."""
    seat = Seat.objects.get(id=held.seat)
    asked = Delivery.objects.get(id=held.input).message
    request = context.build(seat, shown.newest(seat, 10**6).heard, [], context.Running(held.turn, asked, held.n))
    return "\n".join(one.text for one in prompt.conversation(request))


HIDE = {
    "reclassified": lambda message, _: reclassify(person("mo"), message.id, "participants", "for people"),
    "deleted": lambda message, _: delete(person("mo"), message.id),
    "left": lambda _, room: put_out(room, "mo"),
}


@pytest.mark.parametrize("hide", HIDE)
def test_a_hosted_agent_is_not_told_whom_a_reply_is_for_whose_parent_it_never_had(room, hide):
    parent = room.say("mo", "for all", "everyone")
    room.say("sam", "a reply", "everyone", reply_to=parent.id)
    HIDE[hide](parent, room)
    room.say("alex", "a question", "active_agent")
    words = told(begun(room))
    assert "a reply" in words
    assert "for all" not in words
    assert "to=mo" not in words


@pytest.mark.django_db(databases=["default", "agents"], transaction=True)
def test_nor_is_a_connected_one(room):
    parent = room.say("mo", "for all", "everyone")
    room.say("sam", "a reply", "everyone", reply_to=parent.id)
    reclassify(person("mo"), parent.id, "participants", "for people")
    [mail] = Caller("scout").mail(after=0)["items"]
    assert (mail["text"], mail["reply_to"], mail["to"]) == ("a reply", None, [])
