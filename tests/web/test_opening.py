"""A session of one's own, opened on the page."""

from __future__ import annotations

import pytest

from messaging.actions.close_agent import close_agent
from messaging.mailbox.models import Seat
from messaging.roster.models import Membership, Session

pytestmark = pytest.mark.django_db


def opened(browser, **given: str) -> Session:
    answer = browser.post("/open", given)
    assert answer.status_code == 302, answer.content.decode()
    return Session.objects.get(slug=answer.headers["Location"].split("/")[2])


def test_whoever_has_no_session_yet_is_offered_one(scene, browser_of):
    assert "Open one, or ask somebody" in browser_of("xan").get("/").content.decode()
    made = opened(browser_of("xan"), title="  Plans ")
    assert (made.title, made.title_by, made.active_agent) == ("Plans", "person", None)
    [mine] = Membership.objects.filter(session=made)
    assert (mine.person.handle.spelled, mine.role) == ("xan", "owner")
    assert browser_of("sam").get(f"/s/{made.slug}/").status_code == 404


def test_its_agent_proposes_a_title_where_it_has_none(scene, browser_of):
    made = opened(browser_of("sam"), agent="mirror")
    assert (made.title_by, made.active_agent.handle.spelled) == ("nobody", "mirror")
    assert Seat.objects.get(session=made.id).titles is True
    assert Seat.objects.get(session=opened(browser_of("sam"), agent="mirror", title="Mine").id).titles is False


def test_two_of_one_title_are_two(scene, browser_of):
    assert opened(browser_of("sam"), title="Twice").id != opened(browser_of("sam"), title="Twice").id


@pytest.mark.parametrize("given", [{"title": "x" * 121}, {"agent": "nobody"}, {"agent": "sam"}, {"title": "a\x00b"}])
def test_what_cannot_be_opens_nothing_and_says_why(scene, browser_of, given):
    before = Session.objects.count()
    answer = browser_of("sam").post("/open", given)
    assert answer.status_code == 422
    assert "Nothing was opened." in answer.content.decode()
    assert Session.objects.count() == before


def test_an_agent_that_is_out_of_use_is_not_offered_and_not_taken(scene, browser_of):
    assert 'value="mirror"' in browser_of("sam").get("/").content.decode()
    close_agent(None, "mirror")
    assert 'value="mirror"' not in browser_of("sam").get("/").content.decode()
    assert browser_of("sam").post("/open", {"agent": "mirror"}).status_code == 422


def test_those_who_keep_the_place_are_led_to_its_models_and_others_are_not(scene, browser_of):
    assert "/admin/begin/" in browser_of("alex").get("/").content.decode()
    assert "/admin/" not in browser_of("sam").get("/").content.decode()
