"""Asking an agent privately from the panel, and what a page says while agents pause."""

from __future__ import annotations

import pytest
from django.test import Client

from messaging.actions.close_agent import close_agent
from messaging.actions.pause_agents import pause_agents, resume_agents
from messaging.roster.models import Account, Membership, Session
from tests.cast import Room

pytestmark = pytest.mark.django_db


@pytest.fixture
def room():
    return Room.open()


def browser(handle: str) -> Client:
    client = Client()
    client.force_login(Account.objects.get(username=handle))
    return client


def ask(room: Room, handle: str, agent: str = "mirror", slug: str = ""):
    return browser(handle).post(f"/s/{slug or room.session.slug}/privately", {"agent": agent})


def test_a_member_is_led_to_a_session_of_the_two(room):
    assert "Ask Mirror privately" in browser("sam").get(f"/s/{room.session.slug}/").content.decode()
    answer = ask(room, "sam")
    made = Session.objects.get(slug=answer.headers["Location"].split("/")[2])
    assert made.id != room.session.id
    assert Membership.objects.filter(session=made).count() == 2
    assert browser("sam").get(answer.headers["Location"]).status_code == 200
    assert browser("mo").get(answer.headers["Location"]).status_code == 404
    assert ask(room, "sam").headers["Location"] == answer.headers["Location"]


@pytest.mark.parametrize("handle", ["vic", "gus"])
def test_who_may_not_ask_agents_here_is_not_offered_it_and_refused(room, handle):
    assert "privately" not in browser(handle).get(f"/s/{room.session.slug}/").content.decode()
    before = Session.objects.count()
    assert ask(room, handle).status_code == 403
    assert Session.objects.count() == before


def test_who_is_no_member_and_what_is_no_agent_of_here_are_not_there(room):
    before = Session.objects.count()
    for handle, agent in (("xan", "mirror"), ("sam", "nobody"), ("sam", "mo"), ("sam", "a\x00b")):
        assert ask(room, handle, agent).status_code == 404
    assert Session.objects.count() == before


def test_one_out_of_use_is_said_to_be(room):
    close_agent(None, "mirror")
    answer = ask(room, "sam")
    assert answer.status_code == 422
    assert "out of use" in answer.content.decode()


def test_a_link_does_nothing(room):
    assert browser("sam").get(f"/s/{room.session.slug}/privately").status_code == 405


def test_while_agents_pause_each_page_says_so_and_not_afterwards(room):
    address, part = f"/s/{room.session.slug}/", f"/s/{room.session.slug}/part/tray"
    pause_agents(None)
    for where in (address, part):
        assert "Agents are paused" in browser("vic").get(where).content.decode()
    resume_agents(None)
    for where in (address, part):
        assert "Agents are paused" not in browser("vic").get(where).content.decode()
