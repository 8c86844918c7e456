"""A consult from end to end: two agents in their own process by the restricted role, the house beside it."""

from __future__ import annotations

import os
import signal

import pytest

from messaging.actions.collect import collect
from messaging.actions.enrol import add_agent
from messaging.actions.join import join
from messaging.domain.capability import Role
from messaging.mailbox import wake
from messaging.mailbox.models import Seat, ToolCall, Turn
from messaging.roster.models import Person
from messaging.transcript.models import Message
from tests.agents.conftest import Agents, until
from tests.cast import Room

pytestmark = pytest.mark.django_db(transaction=True)
ASKS = {"script": [[[{"say": "Let me ask."}, {"call": "consult", "with": {"agent": "archivist", "text": "what?"}}],
                    [{"say": "so it is"}]]]}  # fmt: skip


@pytest.fixture
def room() -> Room:
    room = Room.open()
    owner = Person.objects.get(handle__spelled="alex")
    join(room.session, add_agent("archivist", kind="hosted", provider="mirror", owner=owner), Role.AGENT)
    mirror = Seat.objects.filter(session=room.session.id, handle="mirror")
    mirror.update(provider="scripted", settings=ASKS, policy={"tools": {"consult": "allowed"}})
    return room


def collected(room: Room, condition):
    """What the condition gives, while the house collects and wakes as it does when it is told."""

    def look():
        collect(room.session.id)
        return condition()

    return until(look)


def answer(room: Room):
    return (
        Message.objects.filter(session=room.session, turn__isnull=False, author_kind="agent").order_by("-seq").first()
    )


def test_a_consult_goes_there_and_back_through_rows_alone(agents, room):
    child: Agents = agents()
    wake.install(lambda line: child.wake(line.seat) if isinstance(line, wake.Wake) else None)
    try:
        room.say("sam", "a question", "active_agent")
        collected(room, lambda: Message.objects.filter(session=room.session).count() == 4)
    finally:
        wake.install(lambda line: None)
    texts = list(Message.objects.filter(session=room.session).order_by("seq").values_list("text", flat=True))
    assert texts[0] == "a question"
    assert texts[1] == "what?"
    assert texts[2].endswith("Mirror: what?"), "the archivist repeats what reached it, and nothing else did"
    assert texts[2].count("\n\n") == 1
    assert texts[3] == "Let me ask.\n\nso it is"
    assert ToolCall.objects.get().state == "done"


def test_killed_while_it_waits_it_loses_nothing(agents, room):
    first: Agents = agents()
    room.say("sam", "a question", "active_agent")
    first.wake(room.seat("mirror").id)
    until(lambda: Turn.objects.filter(parked_at__isnull=False).exists())
    os.kill(first.process.pid, signal.SIGKILL)
    first.process.wait()
    collect(room.session.id)

    agents()
    collected(room, lambda: Message.objects.filter(session=room.session).count() == 4)
    assert answer(room).text == "Let me ask.\n\nso it is"
    assert Message.objects.filter(session=room.session, dispatch="consult", text="what?").count() == 1
