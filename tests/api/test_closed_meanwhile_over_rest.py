"""The same over REST, as it happens: a call waits for the session while its caller's account is closed."""

from __future__ import annotations

import json
import threading
import time

import pytest
from django.db import connection, connections, transaction
from django.test import Client

from messaging.actions.close_account import close_account
from messaging.journal import clock as clocks
from messaging.roster.models import Membership
from tests.cast import Room, bearer

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_call_that_waited_is_refused_once_the_account_is_closed():
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no locks of rows")
    room = Room.open()
    headers, answers = bearer("mo"), []

    def call():
        body = json.dumps({"handle": "xan", "role": "moderator"})
        path = "/api/v1/sessions/welcome/members"
        answers.append(Client().generic("POST", path, body, "application/json", headers=headers))
        connections.close_all()

    waiting = threading.Thread(target=call)
    with transaction.atomic():
        clocks.lock([room.session.id])
        waiting.start()
        time.sleep(1)
        close_account(None, "mo")
    waiting.join(10)
    assert answers[0].status_code in (401, 404)
    assert not Membership.objects.filter(person__handle__spelled="xan").exists()
