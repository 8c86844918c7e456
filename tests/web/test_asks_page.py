"""The page of what agents ask somebody: theirs alone, answered once, from there or from the session."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.test import Client

from messaging.actions import asking
from messaging.actions.asking import Wish
from messaging.actions.open_session import open_session
from messaging.domain.ask import AskKind, canonical
from messaging.journal import clock as clocks
from messaging.roster.models import Account, Agent, Person
from messaging.transcript.models import Ask, AskShown
from tests.cast import Room

pytestmark = [pytest.mark.django_db]
CANARY = "CANARY-4d1e"


@pytest.fixture
def room() -> Room:
    return Room.open()


def browser(handle: str, *, strict: bool = False) -> Client:
    client = Client(enforce_csrf_checks=strict)
    client.force_login(Account.objects.get(username=handle))
    return client


def page(handle: str, path: str = "/asks") -> str:
    return str(browser(handle).get(path).content.decode())


def asked(room: Room, of: str, kind: AskKind = AskKind.QUESTION, content: str = CANARY) -> Ask:
    """A question that waits for nothing but its answer."""
    person = Person.objects.select_related("handle").get(handle__spelled=of)
    agent = Agent.objects.select_related("handle").get(handle__spelled="scout")
    held = clocks.lock([room.session.id])[room.session.id]
    return asking.make(
        held, Wish(person, agent, kind, content, ["Blue", "<b>Green</b>"], asker="sam", tool="files__write")
    )


def answer(handle: str, ask: Ask, **given: str):
    return browser(handle).post(f"/asks/{ask.id}/answer", {"choice": "Blue", "digest": ask.digest, **given})


def test_it_stands_before_whom_it_names_in_its_session_and_on_the_page(room):
    ask = asked(room, "sam")
    for path in ("/asks", "/s/welcome/"):
        shown = page("sam", path)
        assert CANARY in shown
        assert "Scout asks you" in shown
        assert "&lt;b&gt;Green&lt;/b&gt;" in shown
        assert "<b>Green</b>" not in shown
    assert "Agents wait for your word: 1" in page("sam", "/")
    assert AskShown.objects.get(ask=ask).surface == "web"


@pytest.mark.parametrize("handle", ["alex", "mo", "vic", "gus", "xan"])
def test_and_before_nobody_else(room, handle):
    ask = asked(room, "sam")
    for path in ("/asks", "/", *(() if handle == "xan" else ("/s/welcome/", "/s/welcome/part/asks"))):
        shown = page(handle, path)
        assert CANARY not in shown
        assert "Agents wait for your word" not in shown
        assert str(ask.id) not in shown
    assert answer(handle, ask).status_code == 404
    assert not AskShown.objects.exists()
    assert Ask.objects.get().state == "open"


def test_answered_from_the_session_it_leads_back_there_and_says_so(room):
    ask = asked(room, "sam")
    page("sam", "/s/welcome/")
    done = answer("sam", ask, back="welcome")
    assert (done.status_code, done.headers["Location"]) == (302, "/s/welcome/")
    assert Ask.objects.get().answer == "Blue"
    assert CANARY not in page("sam", "/s/welcome/part/asks")
    assert "You said: Blue" in page("sam")
    assert 'in <a href="/s/welcome/">Welcome</a>' in page("sam")


def test_twice_or_with_none_of_its_answers_or_unseen_it_is_refused_and_says_why(room):
    ask = asked(room, "sam")
    unseen = answer("sam", ask)
    assert unseen.status_code == 409
    assert CANARY in unseen.content.decode(), "now it was shown"
    assert answer("sam", ask, choice="Red").status_code == 422
    assert answer("sam", ask, digest="0" * 64).status_code == 409
    assert answer("sam", ask).status_code == 302
    again = answer("sam", ask)
    assert again.status_code == 409
    assert "No agent waits for your word" in again.content.decode()


@pytest.mark.parametrize("back", ["//evil.example", "https://evil.example/", "../../admin", "nowhere", "a\x00b"])
def test_it_leads_to_no_place_but_a_session_of_ours(room, back):
    ask = asked(room, "sam")
    page("sam")
    done = answer("sam", ask, back=back)
    assert done.status_code == 302
    assert done.headers["Location"].startswith(("/s/", "/asks"))
    assert "evil.example" not in done.headers["Location"].split("/s/")[0]


def test_a_page_elsewhere_answers_nothing(room):
    ask = asked(room, "sam")
    page("sam")
    refused = browser("sam", strict=True).post(f"/asks/{ask.id}/answer", {"choice": "Blue"})
    assert refused.status_code == 403
    assert Ask.objects.get().state == "open"


@pytest.mark.parametrize("ask", [uuid4(), "none", "%00"])
def test_one_that_is_not_there_is_not_there(room, ask):
    assert browser("sam").post(f"/asks/{ask}/answer", {"choice": "Blue"}).status_code == 404


def test_the_owner_is_told_of_what_waits_elsewhere(room):
    asked(room, "alex", AskKind.APPROVAL, canonical("files__write", {"path": "a"}))
    other = open_session(Person.objects.get(handle__spelled="alex"), title="Other")
    shown = page("alex", f"/s/{other.slug}/")
    assert "1 waits for your word in other sessions" in shown
    assert "files__write" not in shown
    assert not AskShown.objects.exists(), "what was only counted was not shown"
    assert "Scout wants to call files__write" in page("alex")


def test_nothing_is_hidden_in_an_option_and_what_is_sent_is_the_option_itself(room):
    ask = asked(room, "sam")
    odd = "ab\u202ecd\u200b"
    Ask.objects.filter(id=ask.id).update(options=[odd, "plain"])
    shown = page("sam")
    assert ">ab\\u{202e}cd\\u{200b}</button>" in shown
    assert answer("sam", ask, choice=odd).status_code == 302
    assert Ask.objects.get().answer == odd
