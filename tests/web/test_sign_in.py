"""Signing in: by password, by a link that works once; nothing told about who is here."""

from __future__ import annotations

import re
import time
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from collab.web import throttle
from messaging.actions.sign_in import new_link
from messaging.roster.models import Account, SignInLink
from tests.web.scene import source, words

PASSWORD = "a long sentence of words"


@pytest.fixture
def client(scene) -> Client:
    account = Account.objects.get(username="alex")
    account.set_password(PASSWORD)
    account.save()
    return Client()


def who(client: Client) -> str:
    return words(client.get("/"))


def attempt(client: Client, name: str, password: str, **more: str):
    return client.post("/sign-in/", {"name": name, "password": password, **more})


def test_a_preview_of_a_link_does_not_use_it_up(client):
    code = new_link("alex")
    for _ in range(3):
        assert "Sign in as Alex" in words(client.get(f"/sign-in/{code}"))
        assert client.head(f"/sign-in/{code}").status_code == 200
    answer = client.post(f"/sign-in/{code}")
    assert (answer.status_code, answer.url) == (302, "/")
    assert "Alex" in who(client)


def test_a_link_works_once(client):
    code = new_link("alex")
    client.post(f"/sign-in/{code}")
    again = Client().post(f"/sign-in/{code}")
    assert again.status_code == 404
    assert "used up" in words(again)


def test_a_used_link_an_old_one_and_an_invented_one_look_the_same(client):
    used, old = new_link("alex"), new_link("alex")
    client.post(f"/sign-in/{used}")
    SignInLink.objects.filter(used_at=None).update(expires_at=timezone.now() - timedelta(seconds=1))
    pages = [Client().get(f"/sign-in/{code}") for code in (used, old, "invented")]
    assert {page.status_code for page in pages} == {404}
    assert len({source(page) for page in pages}) == 1


def test_a_password_signs_in_and_goes_on_to_the_page_that_was_wanted(client):
    answer = attempt(client, "alex", PASSWORD, next="/s/welcome/?reply=x")
    assert answer.url == "/s/welcome/?reply=x"
    assert "Alex" in who(client)


@pytest.mark.parametrize("after", ["https://evil.example/", "//evil.example", "javascript:alert(1)", "http:evil"])
def test_it_goes_on_to_no_place_elsewhere(client, after):
    assert attempt(client, "alex", PASSWORD, next=after).url == "/"


def test_a_wrong_password_and_an_unknown_name_look_the_same(client):
    answers = [attempt(client, name, "no") for name in ("alex", "nobody")]
    assert [answer.status_code for answer in answers] == [422, 422]
    shapes = {re.sub(r'value="[^"]*"', "", source(answer)) for answer in answers}
    assert len(shapes) == 1


def test_a_disabled_account_looks_like_a_wrong_password(client):
    Account.objects.filter(username="alex").update(is_active=False)
    answer = attempt(client, "alex", PASSWORD)
    assert answer.status_code == 422
    assert "do not fit together" in words(answer)


@pytest.mark.parametrize("name", ["alex", "nobody"])
def test_guessing_is_slowed_whether_or_not_there_is_such_an_account(client, name):
    statuses = [attempt(client, name, "no").status_code for _ in range(throttle.TRIES_AN_ACCOUNT)]
    assert set(statuses) == {422}
    refused = attempt(client, name, PASSWORD)
    assert refused.status_code == 429
    assert 0 < int(refused["Retry-After"]) <= throttle.WINDOW


def test_spelling_the_name_otherwise_gives_no_more_tries(client):
    for n in range(throttle.TRIES_AN_ACCOUNT):
        attempt(client, "alex" if n % 2 else "ALEX", "no")
    assert attempt(client, "Alex", "no").status_code == 429


def test_one_account_s_tries_do_not_lock_another(client):
    for _ in range(throttle.TRIES_AN_ACCOUNT + 1):
        attempt(client, "sam", "no")
    assert attempt(client, "alex", PASSWORD).status_code == 302


def test_one_address_cannot_try_account_after_account(client):
    answers = [attempt(client, f"name-{n}", "no") for n in range(throttle.TRIES_AN_ADDRESS + 1)]
    assert answers[-2].status_code == 422
    assert answers[-1].status_code == 429


def test_after_the_wait_it_may_be_tried_again(client, monkeypatch):
    answers = [attempt(client, "alex", "no") for _ in range(throttle.TRIES_AN_ACCOUNT + 1)]
    later = time.time() + int(answers[-1]["Retry-After"])
    monkeypatch.setattr(time, "time", lambda: later)
    assert attempt(client, "alex", PASSWORD).status_code == 302


def test_the_right_password_forgives_the_wrong_ones_before_it(client):
    for _ in range(throttle.TRIES_AN_ACCOUNT - 1):
        attempt(client, "alex", "no")
    assert attempt(client, "alex", PASSWORD).status_code == 302
    client.post("/sign-out/")
    assert attempt(client, "alex", PASSWORD).status_code == 302


def test_signing_out_takes_a_form_of_ours(client):
    attempt(client, "alex", PASSWORD)
    assert client.get("/sign-out/").status_code == 405
    assert client.post("/sign-out/").status_code == 302
    assert client.get("/").url == "/sign-in/?next=/"


def test_each_form_takes_a_token_of_ours(scene, browser_of):
    code = new_link("alex")
    strict = browser_of("alex", strict=True)
    for path in ("/sign-in/", f"/sign-in/{code}", "/sign-out/", "/s/welcome/post"):
        assert strict.post(path, {"text": "hi", "audience": "participants", "client_key": "k"}).status_code == 403
    assert SignInLink.objects.filter(used_at=None).exists()


def test_with_our_token_the_same_form_is_taken(scene, browser_of):
    strict = browser_of("alex", strict=True)
    strict.get("/s/welcome/")
    token = strict.cookies["earshot_csrf"].value
    given = {"text": "hi", "audience": "participants", "client_key": "k", "csrfmiddlewaretoken": token}
    assert strict.post("/s/welcome/post", given).status_code == 302
