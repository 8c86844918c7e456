"""The few deeds of the back office: each is its verb's, with its rights, its refusals and its record."""

from __future__ import annotations

import pytest
from django.contrib.messages import get_messages

from messaging.actions import audit
from messaging.roster import credentials
from messaging.roster.models import Account, Agent, Token
from messaging.transcript.models import AuditEntry
from tests.cast import Room, token
from tests.moderation.test_admin import browser, path

pytestmark = pytest.mark.django_db


@pytest.fixture
def room():
    audit.forget()
    return Room.open()


def do(handle: str, model, action: str, *rows) -> tuple[int, str]:
    """Status, and what the next page will say."""
    answer = browser(handle).post(path(model), {"action": action, "_selected_action": [row.pk for row in rows]})
    return answer.status_code, " ".join(str(one) for one in get_messages(answer.wsgi_request))


def account(handle: str) -> Account:
    return Account.objects.get(username=handle)


def test_an_account_is_closed_and_opened_with_all_that_follows(room):
    waiting = room.say("sam", "a question", "active_agent")
    assert do("alex", Account, "close", account("sam"), account("gus")) == (302, "2 closed.")
    assert room.delivery(waiting, "mirror").reason == "disabled"
    assert not account("sam").is_active
    assert do("alex", Account, "open", account("sam")) == (302, "1 opened again.")
    assert (account("sam").is_active, account("gus").is_active) == (True, False)
    rows = AuditEntry.objects.filter(verb="account").order_by("at")
    assert [(row.actor, row.detail["handle"], row.detail["change"]) for row in rows] == [
        ("alex", "gus", "closed"), ("alex", "sam", "closed"), ("alex", "sam", "opened"),
    ]  # fmt: skip


def test_the_owners_is_not_and_the_others_are(room):
    status, told = do("alex", Account, "close", account("alex"), account("gus"))
    assert (status, account("alex").is_active, account("gus").is_active) == (302, True, False)
    assert "owner keeps their account" in told
    assert "1 closed." in told


def test_an_account_of_nobody_is_said_to_be_one(room):
    nobody = Account.objects.create_user("root", is_staff=True)
    assert "has no person" in do("alex", Account, "close", nobody)[1]


def test_an_agent_is_taken_out_of_use_and_back(room):
    mirror = Agent.objects.get(handle__spelled="mirror")
    waiting = room.say("sam", "a question", "active_agent")
    assert do("alex", Agent, "close", mirror) == (302, "1 taken out of use.")
    assert room.delivery(waiting, "mirror").reason == "not_available"
    assert do("alex", Agent, "open", mirror) == (302, "1 taken back into use.")
    mirror.refresh_from_db()
    assert mirror.enabled


def test_a_token_is_revoked_and_another_is_not(room):
    lost, kept = token("sam"), token("sam")
    row = Token.objects.get(hash=credentials.hashed(lost))
    assert do("alex", Token, "revoke", row) == (302, "1 revoked.")
    assert credentials.caller(lost) is None
    assert credentials.caller(kept) is not None
    assert AuditEntry.objects.get(verb="token").about == row.id


@pytest.mark.parametrize("handle", ["mo", "sam", "gus"])
def test_who_is_no_staff_does_none_of_it(room, handle):
    assert do(handle, Account, "close", account("gus"))[0] == 302
    assert account("gus").is_active
    assert not AuditEntry.objects.filter(verb="account").exists()


def test_staff_who_may_not_see_the_page_are_refused_on_record(room):
    Account.objects.filter(username="mo").update(is_staff=True)
    assert do("mo", Account, "close", account("gus"))[0] == 403
    assert account("gus").is_active
    assert AuditEntry.objects.get(verb="refused").actor == "mo"


def test_a_login_of_no_person_does_nothing(room):
    Account.objects.create_user("root", is_staff=True, is_superuser=True)
    assert "belongs to no person" in do("root", Account, "close", account("gus"))[1]
    assert account("gus").is_active


@pytest.mark.parametrize("model", [Agent, Account, Token])
def test_nothing_there_deletes(room, model):
    token("sam")
    row = model.objects.order_by("pk").last()
    do("alex", model, "delete_selected", row)
    assert model.objects.filter(pk=row.pk).exists()


def test_no_page_sets_the_switches_themselves(room):
    page = browser("alex").get(path(Account, account("gus").pk, "change")).content.decode()
    assert 'name="is_active"' not in page
    answer = browser("alex").post(path(Account, account("gus").pk, "change"), {"username": "gus"})
    assert (answer.status_code, account("gus").is_active) == (403, True)
