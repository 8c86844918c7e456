"""Agents go on working while a migration renews their grants and the database's own refusals, and gain nothing by it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from uuid import uuid4

import psycopg
import pytest
from django.conf import settings
from django.db import connection

from messaging.mailbox import grants, triggers

pytestmark = [pytest.mark.fleet, pytest.mark.django_db(transaction=True)]
FORGED = (
    "INSERT INTO mailbox_transition (id, step, before, after, reason, by, at, journaled, delivery_id, retryable) "
    "VALUES (%s, 1, '', 'accepted', '', 'agents', now(), true, %s, false)"
)


class Agents(threading.Thread):
    """A process of agents that does the same without a pause, by its own role; `came` counts how it went."""

    def __init__(self, deed: Callable[[psycopg.Connection], object]) -> None:
        super().__init__(daemon=True)
        at, role = connection.settings_dict, settings.DATABASES["agents"]["USER"]
        self.address = f"postgresql://{role}@{at['HOST']}:{at['PORT']}/{at['NAME']}"
        self.ending, self.deed = threading.Event(), deed
        self.came: dict[str, int] = {}

    def run(self) -> None:
        with psycopg.connect(self.address) as wire:
            while not self.ending.is_set():
                try:
                    self.deed(wire)
                    self.note("done")
                except psycopg.Error as error:
                    self.note(type(error).__name__)
                wire.rollback()

    def note(self, word: str) -> None:
        self.came[word] = self.came.get(word, 0) + 1


def meanwhile(deed: Callable[[psycopg.Connection], object], renew: Callable[[], None]) -> dict[str, int]:
    agents = Agents(deed)
    agents.start()
    for _ in range(25):
        renew()
    agents.ending.set()
    agents.join(10)
    return agents.came


def test_no_question_of_theirs_is_refused_while_grants_are_renewed():
    came = meanwhile(lambda wire: wire.execute("SELECT count(*) FROM mailbox_seat"), grants.after_migrate)
    assert set(came) == {"done"}
    assert came["done"] > 25


def test_no_forged_step_is_taken_while_the_refusals_are_renewed():
    came = meanwhile(lambda wire: wire.execute(FORGED, [uuid4(), uuid4()]), triggers.after_migrate)
    assert set(came) == {"CheckViolation"}
    assert came["CheckViolation"] > 25
