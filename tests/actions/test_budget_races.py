"""A budget's last turn, and a private session, that several ask for at the same moment."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection, connections

from messaging.actions.ask_privately import ask_privately
from messaging.actions.change_agent import change_agent
from messaging.actions.draft import Draft, Refusal
from messaging.actions.enrol import add_agent
from messaging.actions.join import join
from messaging.actions.open_session import open_session
from messaging.actions.post import post
from messaging.domain.capability import Role
from messaging.mailbox.models import Delivery
from messaging.roster import budget
from messaging.roster.models import Agent, Person, Session, Spend
from tests.cast import Room, person

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def room():
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer, so nothing comes between")
    return Room.open()


def at_once(deeds: list[Callable[[], Any]]) -> list[Any]:
    ready = Barrier(len(deeds))

    def run(deed: Callable[[], Any]) -> Any:
        try:
            ready.wait(10)
            return deed()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(deeds)) as pool:
        return list(pool.map(run, deeds))


def test_of_six_sessions_three_get_what_is_left(room):
    """Each asked by somebody else, so that nothing but the budget stands between them."""
    mirror = Agent.objects.get(handle__spelled="mirror")
    change_agent(None, "mirror", turns_a_day=3)
    drafts = []
    for handle in ("alex", "sam", "mo", "vic", "gus", "xan"):
        made = open_session(Person.objects.get(handle__spelled=handle), title=handle, active_agent=mirror)
        drafts.append(Draft(person(handle), made.id, "a question", "active_agent"))
    told = at_once([lambda one=one: post([one])[0] for one in drafts])
    assert sorted(getattr(one, "code", "") for one in told) == ["", "", "", *["over_budget"] * 3]
    assert all(one.status == 429 for one in told if isinstance(one, Refusal))
    assert Delivery.objects.filter(cleared_at__isnull=False).count() == 3
    assert Spend.objects.get(what=budget.TURNS).used == 3


def test_two_owners_budgets_are_locked_in_one_order_whoever_names_them_first(room):
    agents = []
    for handle, owner in (("one", "alex"), ("two", "mo")):
        who = Person.objects.get(handle__spelled=owner)
        agents.append(add_agent(handle, kind="hosted", provider="mirror", owner=who, turns_a_day=1000))
    owner = Person.objects.get(handle__spelled="alex")
    rooms = [open_session(owner, title=f"room {n}") for n in range(4)]
    for one in rooms:
        for made in agents:
            join(one, made, Role.AGENT)
    orders = (["agent:one", "agent:two"], ["agent:two", "agent:one"])

    def ask(n: int) -> list[Any]:
        said = orders[n % 2]
        return [post([Draft(person("alex"), rooms[n].id, "both", said, "future_turn")])[0] for _ in range(5)]

    told = [one for many in at_once([lambda n=n: ask(n) for n in range(4)]) for one in many]
    assert not [one for one in told if isinstance(one, Refusal)]


def test_who_asks_privately_twice_at_once_gets_one_session(room):
    before = Session.objects.count()
    found = at_once([lambda: ask_privately(person("sam"), "mirror").id] * 4)
    assert len(set(found)) == 1
    assert Session.objects.count() == before + 1
