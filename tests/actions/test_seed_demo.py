"""The demo is for a place of its own."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from messaging.roster.models import Account, Installation, Person, Session
from tests.cast import Room

pytestmark = pytest.mark.django_db


def test_seeding_twice_makes_nothing_twice():
    for _ in range(2):
        call_command("seed_demo", verbosity=0)
    assert Session.objects.filter(slug="welcome").count() == 1
    assert Person.objects.count() == 6


def test_somebody_elses_installation_gets_no_demo_and_no_staff():
    call_command("add_person", "kim")
    Installation.objects.update_or_create(id=1, defaults={"owner": Person.objects.get(handle__spelled="kim")})
    with pytest.raises(CommandError, match="kim owns this installation"):
        call_command("seed_demo")
    assert not Account.objects.filter(is_staff=True).exists()
    assert not Session.objects.filter(slug="welcome").exists()


def test_a_demo_that_was_left_is_not_told_to_be_there():
    Room.open()
    Installation.objects.update(owner=Person.objects.get(handle__spelled="mo"))
    with pytest.raises(CommandError, match="mo owns"):
        call_command("seed_demo")
