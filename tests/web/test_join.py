"""The page behind an invitation's link: it asks first, and only its button joins."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from messaging.actions.invite import invite
from messaging.roster.models import Invitation, Membership
from tests.cast import person
from tests.web.scene import words


@pytest.fixture
def link(scene):
    return f"/join/{invite(person('mo'), scene.session, 'viewer', most=1).code}"


def is_in(handle: str) -> bool:
    return Membership.objects.filter(left_at=None, session__slug="welcome", person__handle__spelled=handle).exists()


def test_it_says_what_one_would_join_as_what_and_who_invites(browser_of, link):
    page = browser_of("xan").get(link)
    assert page.status_code == 200
    for word in ("Welcome", "Mo invites you", "as viewer", "Join as Xan"):
        assert word in words(page)
    assert "no-store" in page["Cache-Control"]
    assert not is_in("xan")


def test_its_button_joins_and_leads_there(browser_of, link):
    xan = browser_of("xan")
    answer = xan.post(link)
    assert (answer.status_code, answer.url) == (302, "/s/welcome/")
    assert is_in("xan")
    assert xan.get("/s/welcome/").status_code == 200
    assert xan.post(link).status_code == 302


def test_a_stranger_signs_in_first_and_comes_back(scene, link):
    answer = Client().get(link)
    assert answer.status_code == 302
    assert answer.url == f"/sign-in/?next={link}"
    assert Client().post(link).status_code == 302
    assert Invitation.objects.get().used == 0


def test_it_takes_no_form_from_elsewhere(browser_of, link):
    assert browser_of("xan", strict=True).post(link).status_code == 403
    assert not is_in("xan")


def test_one_that_leads_nowhere_tells_nothing_of_the_session(browser_of, link):
    Invitation.objects.update(expires_at=timezone.now())
    xan = browser_of("xan")
    for address in (link, "/join/nonsense"):
        for answer in (xan.get(address), xan.post(address)):
            assert answer.status_code == 404
            assert "leads nowhere" in words(answer)
            assert "Welcome" not in words(answer)


def test_one_whose_places_are_taken_says_so(browser_of, link):
    browser_of("xan").post(link)
    gus = browser_of("gus")
    assert "All places" in words(gus.get(link))
    answer = gus.post(link)
    assert answer.status_code == 409
    assert "used as often as it may be" in words(answer)
