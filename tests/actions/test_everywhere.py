"""Somebody's account is closed while they join a session whose clock comes before those that are locked already."""

from __future__ import annotations

import threading
import time

import pytest
from django.db import connection, connections, transaction

from messaging.actions import everywhere
from messaging.actions.close_account import close_account
from messaging.actions.join import join
from messaging.actions.open_session import open_session
from messaging.domain.capability import Role
from messaging.journal import clock as clocks
from messaging.roster.models import Person
from tests.cast import Room

pytestmark = pytest.mark.django_db(transaction=True)


def test_closing_an_account_locks_clocks_in_their_order_whoever_joins_meanwhile(monkeypatch):  # noqa: C901, PLR0915 -- one story of three threads
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has no locks of rows")
    Room.open()
    alex, xan = (Person.objects.select_related("handle").get(handle__spelled=one) for one in ("alex", "xan"))
    low, high = sorted((open_session(alex, title=one) for one in ("one", "two")), key=lambda one: one.id)
    join(high, xan, Role.MEMBER)
    failed, threads = [], []
    has_low = threading.Event()

    def batch():
        """As a batch of posts for both sessions does: in the order of their ids."""
        try:
            with transaction.atomic():
                clocks.lock([low.id])
                has_low.set()
                clocks.lock([high.id])
        except Exception as error:
            failed.append(error)
        finally:
            connections.close_all()

    def joining():
        join(low, xan, Role.MEMBER)
        connections.close_all()

    real = clocks.lock

    def lock(sessions):
        held = real(sessions)
        if high.id in held and not threads:
            # Once the first clocks are locked: xan joins, and a batch comes by.
            for one in (threading.Thread(target=joining), threading.Thread(target=batch)):
                threads.append(one)
                one.start()
                if len(threads) == 1:
                    one.join(5)
            has_low.wait(5)
            time.sleep(0.2)
        return held

    monkeypatch.setattr(everywhere.clocks, "lock", lock)
    try:
        close_account(None, "xan")
    finally:
        monkeypatch.undo()
        for one in threads:
            one.join(10)
    assert not failed
