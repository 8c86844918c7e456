"""How an owner gets in: what a start tells, and the link in it."""

from __future__ import annotations

import pytest

from collab.cli.embedded import greet
from collab.cli.links import link_for_owner
from messaging.actions.enrol import add_person
from messaging.actions.sign_in import holder
from messaging.roster.models import Account, Installation

pytestmark = pytest.mark.django_db
ADDRESS = "http://127.0.0.1:8000"


def own(handle: str) -> None:
    """Make somebody the installation's owner."""
    Installation.the()
    Installation.objects.update(owner=add_person(handle))


def test_the_link_is_the_owner_s_whatever_the_name():
    own("kim")
    link = link_for_owner(ADDRESS)
    assert link
    found = holder(link.removeprefix(f"{ADDRESS}/sign-in/"))
    assert found
    assert found.handle.spelled == "kim"


def test_without_an_owner_who_can_log_in_there_is_no_link():
    add_person("alex")
    assert link_for_owner(ADDRESS) is None
    own("kim")
    Account.objects.filter(username="kim").update(is_active=False)
    assert link_for_owner(ADDRESS) is None


def test_a_start_tells_the_link_or_that_there_is_none(capfd: pytest.CaptureFixture[str]):
    greet(ADDRESS, f"{ADDRESS}/sign-in/code")
    assert f"Sign in once   {ADDRESS}/sign-in/code\n" in capfd.readouterr().out
    greet(ADDRESS, None)
    told = capfd.readouterr().out
    assert "sign-in/" not in told
    assert [line for line in told.splitlines() if "No sign-in link" in line]
