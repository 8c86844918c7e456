"""What no agent was shown, and none may be any more, still lies in the agents' part of the database."""

from __future__ import annotations

import pytest

from messaging.actions.delete import delete
from messaging.actions.edit import edit
from messaging.actions.reclassify import reclassify
from messaging.actions.supersede import supersede
from messaging.mailbox.models import Delivery
from messaging.roster.models import Account
from tests.cast import Room, person

pytestmark = pytest.mark.django_db(databases=["default", "agents"], transaction=True)

TAKE_BACK = {
    "edited": lambda key: edit(person("sam"), key, "something harmless"),
    "reclassified": lambda key: reclassify(person("sam"), key, "participants", "not for agents"),
    "deleted": lambda key: delete(person("sam"), key),
    "withdrawn": lambda key: supersede(person("sam"), key),
}


@pytest.mark.parametrize("deed", TAKE_BACK)
def test_a_text_that_no_agent_got_is_not_left_where_agents_read(deed):
    room = Room.open()
    message = room.say("sam", "a password by mistake", "everyone")
    TAKE_BACK[deed](message.id)
    assert not Delivery.objects.using("agents").filter(delivered_at=None, text__contains="by mistake").exists()


def test_a_login_with_a_long_name_can_be_on_record(client):
    """PostgreSQL alone: `createsuperuser` takes 150 characters, `AuditEntry.actor` 64."""
    Room.open()
    client.force_login(Account.objects.create_superuser("a" * 100, "a@example.org", "a long password"))
    client.raise_request_exception = False
    assert client.get("/admin/transcript/message/").status_code == 200
