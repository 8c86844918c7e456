"""What a start prepares, and what it tells."""

from __future__ import annotations

import pytest

from collab.cli.embedded import greet
from collab.processes import prepare
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
    own("robin")
    link = prepare.sign_in_link(ADDRESS)
    assert link
    found = holder(link.removeprefix(f"{ADDRESS}/sign-in/"))
    assert found
    assert found.handle.spelled == "robin"


def test_without_an_owner_who_can_log_in_there_is_no_link():
    add_person("alex")
    assert prepare.sign_in_link(ADDRESS) is None
    own("robin")
    Account.objects.filter(username="robin").update(is_active=False)
    assert prepare.sign_in_link(ADDRESS) is None


def test_a_start_tells_the_link_or_that_there_is_none(capfd: pytest.CaptureFixture[str]):
    greet(ADDRESS, f"{ADDRESS}/sign-in/code")
    assert f"Sign in once   {ADDRESS}/sign-in/code\n" in capfd.readouterr().out
    greet(ADDRESS, None)
    told = capfd.readouterr().out
    assert "sign-in/" not in told
    assert [line for line in told.splitlines() if "No sign-in link" in line]
