"""Invitation codes in logs; odd places to go on to after signing in; NUL in an address; names told to agents."""

from __future__ import annotations

import io
import logging

import pytest
from django.test import Client

from collab.logs import Discreet
from messaging.actions.invite import invite
from messaging.roster.models import Account
from tests.api.test_deeds import Caller
from tests.cast import Room, agent, bearer, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def room():
    return Room.open()


@pytest.fixture
def lines():
    out = io.StringIO()
    handler = logging.StreamHandler(out)
    handler.setFormatter(Discreet("{levelname} {name}: {message}", style="{"))
    logging.getLogger().addHandler(handler)
    yield out
    logging.getLogger().removeHandler(handler)


def signed_in(handle, **more):
    client = Client(**more)
    client.force_login(Account.objects.get(username=handle))
    return client


def test_a_form_that_came_too_late_leaves_no_invitation_in_the_log(room, lines):
    code = invite(person("alex"), room.session, "member").code
    assert signed_in("xan", enforce_csrf_checks=True).post(f"/join/{code}").status_code == 403
    assert code not in lines.getvalue()


def test_nor_does_what_breaks(room, lines, monkeypatch):
    code = invite(person("alex"), room.session, "member").code

    def broken(*_):
        raise RuntimeError

    monkeypatch.setattr("collab.web.views.join.redeem", broken)
    assert signed_in("xan", raise_request_exception=False).post(f"/join/{code}").status_code == 500
    assert code not in lines.getvalue()


@pytest.mark.parametrize("after", ["foo", "web:nothing", "messaging", "s", "?a", "#x", "web:session", "a b"])
def test_no_place_to_go_on_to_breaks_a_sign_in(room, after):
    account = Account.objects.get(username="sam")
    account.set_password("a password")
    account.save()
    client = Client(raise_request_exception=False)
    answer = client.post("/sign-in/", {"name": "sam", "password": "a password", "next": after})
    assert answer.status_code == 302
    assert not answer["Location"].startswith(("//", "http", "/\\"))


@pytest.mark.parametrize("path", ["members/a%00b", "members/%00", "members/%ED%A0%80", "members/" + "x" * 5000])
@pytest.mark.parametrize("method", ["PATCH", "DELETE"])
def test_no_handle_in_an_address_breaks_a_route(room, method, path):
    """PostgreSQL alone takes offence."""
    body = '{"role": "member"}' if method == "PATCH" else ""
    client = Client(raise_request_exception=False)
    answer = client.generic(
        method, f"/api/v1/sessions/welcome/{path}", body, "application/json", headers=bearer("alex")
    )
    assert answer.status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "s/welcome/as/%00/",
        "s/welcome/m/%00/",
        "s/welcome/m/%00/edit",
        "join/%00",
        "s/%00/",
        "sign-in/%00",
        "s/welcome/part/%00",
        "s/welcome/?reply=%00",
        "s/welcome/?show=%00",
        "s/welcome/bring?m=%00",
        "s/welcome/part/who?chosen=%00",
    ],
)
def test_no_page_breaks(room, path):
    assert signed_in("alex", raise_request_exception=False).get(f"/{path}").status_code in (200, 404)


@pytest.mark.django_db(databases=["default", "agents"], transaction=True)
def test_an_agent_is_not_told_who_else_has_what_it_said(room):
    """`redacted` sees to it in an answer of 200; the refusal names the others all the same."""
    said = room.say(agent("mirror"), "all hear this", "everyone")
    Caller("scout").mail(after=0)
    answer = Caller("mirror").send("POST", f"/messages/{said.id}/supersede")
    assert answer.status_code == 409
    assert "Scout" not in answer.json()["detail"]
