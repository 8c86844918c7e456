"""The back office: every model is there to look at, none to change, and direct messages without their words."""

from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib import admin
from django.test import Client, RequestFactory

from messaging.mailbox.models import Source, Utterance
from messaging.roster.models import Account, Agent
from messaging.transcript.models import Message
from tests.cast import Room, agent

pytestmark = pytest.mark.django_db
OURS = [model for model in apps.get_models() if model.__module__.startswith("messaging.")]
#: What is added and changed there, by actions: `test_agents` and `test_sources` have it.
KEPT = {Agent, Source}


@pytest.fixture
def room():
    made = Room.open()
    made.say("alex", "said to the room")
    made.say("alex", "said to sam alone", "participant:sam")
    made.say("alex", "asked the agent", "active_agent")
    made.say(agent("scout"), "scout to sam alone", "participant:sam")
    made.say(agent("scout"), "scout to all", "everyone")
    return made


def browser(handle):
    client = Client()
    client.force_login(Account.objects.get(username=handle))
    return client


def path(model, *rest):
    return "/".join(["/admin", model._meta.app_label, model._meta.model_name, *map(str, rest), ""])


@pytest.mark.parametrize("model", OURS, ids=lambda one: one._meta.label)
def test_each_model_has_a_list_and_a_page_and_neither_adds_nor_changes(room, model):
    alex = browser("alex")
    assert admin.site.is_registered(model)
    assert alex.get(path(model)).status_code == 200
    assert alex.get(path(model, "add")).status_code == (200 if model in KEPT else 403)
    row = model.objects.first()
    if row is not None:
        assert alex.get(path(model, row.pk, "change")).status_code == 200
        if model not in KEPT:
            assert alex.post(path(model, row.pk, "change"), {"text": "forged"}).status_code == 403
        assert alex.post(path(model, row.pk, "delete"), {"post": "yes"}).status_code == 403


def test_nothing_else_can_be_changed_there_either(room):
    """Whatever an app brings along: no model of the back office takes an addition, a change or a deletion."""
    request = RequestFactory().get("/admin/")
    request.user = Account.objects.get(username="alex")
    for model, own in admin.site._registry.items():
        may = (own.has_add_permission(request), own.has_change_permission(request), own.has_delete_permission(request))
        assert may == (model in KEPT, model in KEPT, False), model


def test_the_list_shows_words_but_never_of_direct_messages(room):
    page = browser("alex").get(path(Message)).content.decode()
    assert "said to the room" in page
    assert "asked the agent" in page
    assert "said to sam alone" not in page


def test_nor_does_the_page_of_one(room):
    direct = Message.objects.filter(audience="participant").earliest("seq")
    other = Message.objects.get(audience="participants")
    alex = browser("alex")
    assert "said to sam alone" not in alex.get(path(Message, direct.pk, "change")).content.decode()
    assert "said to the room" in alex.get(path(Message, other.pk, "change")).content.decode()


def test_nor_do_the_pages_of_what_agents_said(room):
    alex = browser("alex")
    pages = [alex.get(path(Utterance, row.pk, "change")).content.decode() for row in Utterance.objects.all()]
    pages.append(alex.get(path(Utterance)).content.decode())
    assert "scout to sam alone" not in "".join(pages)
    assert "scout to all" in "".join(pages)


@pytest.mark.parametrize("handle", ["sam", "mo", "gus"])
def test_who_is_no_staff_does_not_get_in(room, handle):
    assert browser(handle).get(path(Message)).status_code == 302


def test_no_hash_and_no_password_is_shown(room):
    from messaging.roster.models import Token
    from tests.cast import token

    token("sam")
    alex = browser("alex")
    row = Token.objects.get()
    assert row.hash not in alex.get(path(Token, row.pk, "change")).content.decode()
    account = Account.objects.get(username="sam")
    account.set_password("a long pass phrase")
    account.save()
    assert account.password not in alex.get(path(Account, account.pk, "change")).content.decode()


def test_markup_in_a_message_is_escaped(room):
    room.say("alex", "<script>alert(1)</script>")
    page = browser("alex").get(path(Message)).content.decode()
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;alert(1)" in page
