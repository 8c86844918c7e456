"""The status page: for staff, and without a word of anybody."""

from __future__ import annotations

import pytest
from django.test import Client

from messaging.mailbox.models import Turn
from messaging.roster.models import Account
from tests.cast import Room

pytestmark = pytest.mark.django_db
PAGE = "/admin/status/"


@pytest.fixture
def room():
    made = Room.open()
    made.say("sam", "said to people")
    made.say("sam", "asked the agent", "active_agent")
    return made


def browser(handle):
    client = Client()
    client.force_login(Account.objects.get(username=handle))
    return client


def test_staff_see_what_waits_and_what_is_missing(room):
    page = browser("alex").get(PAGE).content.decode()
    assert "Missing: up, agents" in page
    assert "questions that no agent has taken yet" in page
    assert "said to people" not in page
    assert "asked the agent" not in page


def test_a_turn_that_runs_is_shown_with_its_lease(room):
    from messaging.mailbox.claim import claim

    claim(room.seat("mirror").id)
    page = browser("alex").get(PAGE).content.decode()
    assert f"held by {Turn.objects.get().lease_owner}" in page


@pytest.mark.parametrize("handle", ["mo", "sam", "gus"])
def test_who_is_no_staff_does_not_get_in(room, handle):
    assert browser(handle).get(PAGE).status_code == 302


def test_nor_does_nobody_and_nothing_is_changed_there(room):
    assert Client().get(PAGE).status_code == 302
    assert browser("alex").post(PAGE).status_code == 405


def test_it_stands_first_on_the_side(room):
    page = browser("alex").get("/admin/").content.decode()
    assert f'href="{PAGE}"' in page
