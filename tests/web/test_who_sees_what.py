"""Each page shows its viewer what is theirs; and to whom it is not, it looks as if it were not there."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from collab.web.urls import urlpatterns
from tests.web.scene import PAGE, source, words

OPEN = {"sign-in", "link", "sign-out", "icon", "join", "open", "asks", "answer"}
#: Addresses that take forms alone, and what they answer to whoever may send one.
POSTS = {"/post": 422, "/stop": 302, "/new": 302, "/privately": 404}


def addresses(message: str) -> list[str]:
    """Every page that belongs to a session, as it stands in the list of routes."""
    known = {"slug": "welcome", "handle": "mirror", "message": message}
    found = []
    for pattern in urlpatterns:
        if pattern.name not in OPEN and pattern.name != "sessions":
            known["name"] = "edit" if pattern.name == "deed" else "people"
            names = pattern.pattern.converters
            found.append(reverse(f"web:{pattern.name}", kwargs={name: known[name] for name in names}))
    assert len(found) >= 5
    return found


def ask(browser: Client, address: str):
    return browser.post(address, {}) if address.endswith(tuple(POSTS)) else browser.get(address)


def test_whoever_is_outside_finds_nothing_on_any_page(scene, browser_of):
    message = scene.say("alex", "hello")
    for address in addresses(message.id):
        assert ask(browser_of("xan"), address).status_code == 404, address


def test_a_session_that_is_not_there_looks_the_same(scene, browser_of):
    xan = browser_of("xan")
    hidden, absent = xan.get("/s/welcome/"), xan.get("/s/nowhere/")
    assert (hidden.status_code, source(hidden)) == (absent.status_code, source(absent).replace("nowhere", "welcome"))


def test_whoever_is_inside_gets_each_page(scene, browser_of):
    message = scene.say("alex", "hello")
    for address in addresses(message.id):
        # This session came from none, so there is nowhere to bring anything back to.
        wanted = next((status for end, status in (POSTS | {"/back": 404}).items() if address.endswith(end)), 200)
        assert ask(browser_of("alex"), address).status_code == wanted, address


def test_strangers_are_sent_to_sign_in_and_back(scene):
    message = scene.say("alex", "hello")
    for address in addresses(message.id):
        answer = ask(Client(), address)
        assert (answer.status_code, answer.url) == (302, f"/sign-in/?next={address}")


def test_whoever_is_put_out_finds_nothing_at_once(scene, browser_of):
    sam = browser_of("sam")
    assert sam.get(PAGE).status_code == 200
    scene.session.memberships.filter(person__handle__spelled="sam").update(left_at="2026-01-01T00:00Z")
    assert sam.get(PAGE).status_code == 404
    assert "Welcome" not in words(sam.get("/"))


def test_the_list_of_sessions_holds_one_s_own(scene, browser_of):
    assert "#welcome" in words(browser_of("sam").get("/"))
    outside = words(browser_of("xan").get("/"))
    assert "#welcome" not in outside
    assert "You are in no session yet" in outside


@pytest.mark.parametrize("path", [PAGE, PAGE + "?show=human"])
def test_a_direct_message_shows_to_its_author_and_target_alone(scene, browser_of, path):
    scene.say("sam", "kumquat", "participant:alex")
    for handle in ("sam", "alex"):
        assert "kumquat" in words(browser_of(handle).get(path))
    for handle in ("mo", "vic", "gus"):
        assert "kumquat" not in source(browser_of(handle).get(path))


def test_a_reply_to_what_one_may_not_see_tells_nothing_of_it(scene, browser_of):
    secret = scene.say("sam", "kumquat", "participant:alex")
    shown = browser_of("alex").get(f"{PAGE}?reply={secret.id}")
    assert "Replying to Sam: kumquat" in words(shown)
    hidden = source(browser_of("mo").get(f"{PAGE}?reply={secret.id}"))
    assert "kumquat" not in hidden
    assert secret.id not in hidden


@pytest.mark.parametrize("path", ["m/{id}/", "m/{id}/?part"])
def test_the_trail_of_a_direct_message_is_for_those_two(scene, browser_of, path):
    secret = scene.say("sam", "kumquat", "participant:alex")
    address = PAGE + path.format(id=secret.id)
    assert browser_of("alex").get(address).status_code == 200
    assert browser_of("mo").get(address).status_code == 404


def test_a_message_is_found_in_its_own_session_alone(scene, browser_of):
    from messaging.actions.open_session import open_session
    from messaging.roster.models import Person

    open_session(Person.objects.get(handle__spelled="alex"), title="Other", slug="other")
    message = scene.say("alex", "hello")
    alex = browser_of("alex")
    assert alex.get(f"/s/welcome/m/{message.id}/").status_code == 200
    assert alex.get(f"/s/other/m/{message.id}/").status_code == 404


def test_see_as_shows_what_the_agent_was_given_and_nothing_that_people_said(scene, browser_of):
    scene.say("alex", "kumquat among us")
    scene.say("sam", "kumquat for you", "participant:alex")
    scene.asked("alex", "a question for the mirror")
    page = browser_of("alex").get(f"{PAGE}as/mirror/")
    assert "a question for the mirror" in words(page)
    assert "an answer to a question" in words(page)
    assert "kumquat" not in source(page)


def test_see_as_shows_rows_before_the_agent_itself_was_shown_them(scene, browser_of):
    scene.say("alex", "still waiting", "active_agent")
    assert "still waiting" in words(browser_of("sam").get(f"{PAGE}as/mirror/"))


def test_a_withheld_row_is_a_tombstone(scene, browser_of):
    message = scene.asked("alex", "kumquat")
    page = f"{PAGE}as/mirror/"
    assert "kumquat" in words(browser_of("alex").get(page))
    row = scene.delivery(message, "mirror")
    type(row).objects.filter(id=row.id).update(withheld_at=row.changed_at)
    shown = browser_of("alex").get(page)
    assert "Withheld" in words(shown)
    assert ">kumquat<" not in source(shown)


@pytest.mark.parametrize("handle", ["nobody", "sam", "MIRROR"])
def test_there_is_no_mailbox_but_that_of_a_seat(scene, browser_of, handle):
    assert browser_of("alex").get(f"{PAGE}as/{handle}/").status_code == 404
