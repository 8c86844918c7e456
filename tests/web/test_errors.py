"""Errors say what happened, what was kept and what to do, in the look of every other page."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import Client, RequestFactory

from collab.web.views import errors
from messaging.roster.models import Account
from tests.web.scene import PAGE, words


@pytest.mark.parametrize(
    ("view", "status"), [(errors.not_found, 404), (errors.forbidden, 403), (errors.bad_request, 400)]
)
def test_each_error_is_a_page_that_tells_nothing_of_its_cause(view, status):
    request = RequestFactory().get("/s/secret-name/")
    request.user = AnonymousUser()
    answer = view(request, ValueError("kumquat"))
    assert answer.status_code == status
    assert "Nothing was changed" in words(answer)
    assert "kumquat" not in words(answer)
    assert "Your sessions" in words(answer)


def test_a_fault_of_ours_is_said_to_be_ours():
    answer = errors.server_error(RequestFactory().get("/"))
    assert answer.status_code == 500
    assert "The fault is ours" in words(answer)


def test_an_old_form_says_what_to_do():
    answer = errors.csrf_failure(RequestFactory().post("/"), "CSRF token missing")
    assert answer.status_code == 403
    assert "load the page again" in words(answer)


def test_a_login_that_is_nobody_s_is_told_so(scene, browser_of):
    Account.objects.create_user("nobody", password="x")
    answer = browser_of("nobody").get(PAGE)
    assert answer.status_code == 403
    assert "belongs to no person" in words(answer)


@pytest.mark.parametrize("path", ["/nowhere", "/s/nowhere/", "/s/welcome/as/nobody/"])
def test_what_is_not_there_shows_our_page_in_the_running_house(scene, browser_of, path):
    answer = browser_of("alex").get(path)
    assert answer.status_code == 404
    assert "This page does not exist, or it is not for you" in words(answer)


def test_a_stranger_who_asks_for_nothing_is_shown_the_same_page(db):
    answer = Client().get("/nowhere")
    assert answer.status_code == 404
    assert "Nothing here" in words(answer)


def test_a_form_from_elsewhere_shows_our_page_and_changes_nothing(scene, browser_of):
    alex = browser_of("alex", strict=True)
    answer = alex.post(f"{PAGE}post", {"text": "kumquat", "audience": "participants", "client_key": "k"})
    assert answer.status_code == 403
    assert "This form is out of date" in words(answer)
    assert "kumquat" not in words(alex.get(PAGE))
