"""Epochs move with whatever decides who may do what, by whichever way it is changed; and with nothing else."""

from __future__ import annotations

import pytest
from django.contrib.sessions.models import Session as Login
from django.utils import timezone

from messaging.journal.models import Clock
from messaging.mailbox.models import Seat
from messaging.roster import credentials
from messaging.roster.models import Account, Agent, Handle, Installation, Membership, Person, Session, Token
from tests.cast import Room

pytestmark = pytest.mark.django_db


@pytest.fixture
def room():
    return Room.open()


def session_epoch(room: Room) -> int:
    return Clock.objects.get(session=room.session.id).epoch


HOUSE = {
    "a disabled account": lambda: Account.objects.filter(username="sam").update(is_active=False),
    "another name": lambda: Person.objects.filter(handle__spelled="sam").update(name="Samuel"),
    "a disabled agent": lambda: Agent.objects.filter(handle__spelled="scout").update(enabled=False),
    "a revoked token": lambda: Token.objects.update(revoked_at=timezone.now()),
    "a deleted token": lambda: Token.objects.all().delete(),
    "a login that ends": lambda: Login.objects.all().delete(),
    "another spelling": lambda: Handle.objects.filter(spelled="sam").update(spelled="Sam"),
    "another budget": lambda: Agent.objects.filter(handle__spelled="mirror").update(turns_a_day=5),
    "another who pays": lambda: Agent.objects.filter(handle__spelled="mirror").update(owner=None),
    "a pause": lambda: Installation.objects.update(agents_paused_at=timezone.now()),
    "another owner": lambda: Installation.objects.update(owner=Person.objects.get(handle__spelled="mo")),
}
SESSION = {
    "a role": lambda: Membership.objects.filter(person__handle__spelled="sam").update(role="viewer"),
    "an end": lambda: Membership.objects.filter(person__handle__spelled="sam").update(left_at=timezone.now()),
    "a closed session": lambda: Session.objects.update(closed_at=timezone.now()),
    "another default": lambda: Session.objects.update(default_audience="participants"),
    "guests who may speak": lambda: Session.objects.update(guests_public=True),
    "another namespace": lambda: Session.objects.update(namespace="lab"),
    "sources of a session": lambda: Session.objects.update(sources=[]),
    "sources of a seat": lambda: Seat.objects.filter(handle="mirror").update(sources=["notes"]),
    "another placement": lambda: Seat.objects.filter(handle="mirror").update(placement="gpu"),
    "another policy": lambda: Seat.objects.filter(handle="mirror").update(policy={"modes": []}),
    "a seat that closes": lambda: Seat.objects.filter(handle="scout").update(open=False),
    "no active agent": lambda: Session.objects.update(active_agent=None),
}
NEITHER = {
    "a sign-in": lambda: Account.objects.update(last_login=timezone.now()),
    "a sign of life": lambda: Agent.objects.update(seen_at=timezone.now()),
    "a row more in a seat": lambda: Seat.objects.update(placed=7, shown=5),
    "a title": lambda: Session.objects.update(title="Another title"),
    "an address": lambda: Person.objects.update(email="somebody@example.org"),
}


@pytest.mark.parametrize("change", HOUSE.values(), ids=HOUSE)
def test_the_installations_epoch_moves(room, change):
    credentials.issue(Person.objects.get(handle__spelled="sam"))
    Login.objects.create(session_key="k", session_data="", expire_date=timezone.now())
    before = Installation.epoch_now()
    change()
    assert Installation.epoch_now() > before


@pytest.mark.parametrize("change", SESSION.values(), ids=SESSION)
def test_the_sessions_epoch_moves(room, change):
    before = session_epoch(room)
    change()
    assert session_epoch(room) > before


@pytest.mark.parametrize("change", NEITHER.values(), ids=NEITHER)
def test_what_decides_nothing_moves_nothing(room, change):
    before = Installation.epoch_now(), session_epoch(room)
    change()
    assert (Installation.epoch_now(), session_epoch(room)) == before


def test_a_lost_row_of_the_installation_does_not_stop_its_epoch(room):
    credentials.issue(Person.objects.get(handle__spelled="sam"))
    Installation.objects.all().delete()
    Token.objects.update(revoked_at=timezone.now())
    assert Installation.epoch_now() == 1


def test_a_membership_that_is_moved_moves_both_sessions(room):
    other = Session.objects.exclude(id=room.session.id).get()
    before = session_epoch(room), Clock.objects.get(session=other.id).epoch
    Membership.objects.filter(person__handle__spelled="sam").update(session=other)
    after = session_epoch(room), Clock.objects.get(session=other.id).epoch
    assert (after[0] > before[0], after[1] > before[1]) == (True, True)
