"""What comes between: agents that are quick, requests that are slow, inboxes that are full."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest
from django.conf import settings
from django.db import connection, connections
from django.test import Client

from messaging.actions import collect as collecting
from messaging.actions.collect import collect
from messaging.actions.configure import configure
from messaging.actions.manage_members import change_role, remove_member
from messaging.actions.open_session import open_session
from messaging.domain.limit import Limits
from messaging.journal.models import Entry
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Transition
from messaging.mailbox.say import answer
from messaging.roster import spend
from messaging.roster.models import Agent, Person, Session, Spend
from messaging.transcript.models import Message
from tests.cast import Room, agent, bearer, person

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "agents"])


@pytest.fixture
def room():
    return Room.open()


def test_context_of_a_demoted_author_goes_along_with_nothing(room):
    told = room.say("sam", "context", "everyone")
    change_role(person("alex"), room.session, "sam", "guest")
    room.say("alex", "question", "active_agent")
    assert claim(room.seat("mirror").id) is not None
    assert room.delivery(told, "mirror").state == "rejected"


def test_a_hosted_agents_token_does_not_answer_for_its_turn(room):
    asked = room.say("sam", "q", "active_agent")
    held = claim(room.seat("mirror").id)
    assert held is not None
    said = room.say(agent("mirror"), "by token", None, reply_to=UUID(asked.id))
    answer(held, "by turn")
    collect(room.session.id)
    assert said.answers is None
    assert Message.objects.get(answers=asked.id).text == "by turn"


def test_a_connected_agent_answers_once(room):
    asked = room.say("sam", "mail", "agent:scout", dispatch="future_turn")
    Client().get("/api/v1/sessions/welcome/messages", headers=bearer("scout"))
    for text in ("one", "two"):
        room.say(agent("scout"), text, None, reply_to=UUID(asked.id))
    assert Message.objects.get(answers=asked.id).text == "one"


def test_another_agents_full_inbox_swallows_no_answer(room, monkeypatch):
    monkeypatch.setattr(settings, "LIMITS", Limits(connected_inbox=1))
    room.say("alex", "fills scout's inbox", "agent:scout", dispatch="future_turn")
    asked = room.say("sam", "q", "active_agent")
    held = claim(room.seat("mirror").id)
    assert held is not None
    answer(held, "the answer")
    collect(room.session.id)
    assert Message.objects.filter(answers=asked.id).count() == 1


def test_a_slow_change_of_the_title_brings_no_agent_back(room):
    stale = Session.objects.get(id=room.session.id)
    remove_member(person("alex"), room.session, "mirror")
    configure(person("alex"), stale, title="New title")
    kept = Session.objects.get(id=room.session.id)
    assert (kept.active_agent, kept.title) == (None, "New title")


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer, so nothing comes between")
def test_responded_is_never_journaled_before_delivered(room, monkeypatch):
    """An agent that claims and answers while the house is collecting."""
    asked = room.say("sam", "q", "active_agent")
    real = collecting._answers

    def quick():
        try:
            answer(claim(room.seat("mirror").id), "quick")
        finally:
            connections.close_all()

    def between(session):
        monkeypatch.setattr(collecting, "_answers", real)
        found = real(session)
        with ThreadPoolExecutor(1) as pool:
            pool.submit(quick).result(20)
        return found

    monkeypatch.setattr(collecting, "_answers", between)
    for _ in range(2):
        collect(room.session.id)
    states = {step.id: step.after for step in Transition.objects.filter(delivery__message=asked.id)}
    order = [states[ref] for ref in Entry.objects.order_by("seq").values_list("ref", flat=True) if ref in states]
    assert order == ["accepted", "queued", "delivered", "responded"]


@pytest.mark.skipif(connection.vendor == "sqlite", reason="SQLite has one writer, so nothing comes between")
def test_somebodys_first_questions_come_at_once_and_in_several_rooms(room):
    other = Room(
        open_session(
            Person.objects.get(handle__spelled="sam"),
            title="Other",
            active_agent=Agent.objects.get(handle__spelled="mirror"),
        )
    )

    def ask(n: int) -> None:
        try:
            (room, other)[n % 2].say("sam", f"question {n}", "active_agent")
        finally:
            connections.close_all()

    for _ in range(5):
        Spend.objects.all().delete()
        spend.forget()
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(ask, range(6)))
        assert Spend.objects.get().used == 6
