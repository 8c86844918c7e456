"""No second database in the agents' process; and the control: the walled one opens."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from messaging.agents import hook
from messaging.mailbox import walled
from tests.agents.conftest import Agents

pytestmark = pytest.mark.django_db(transaction=True)

PROGRAM = """
import sqlite3, sys, django
{before}
django.setup()
from django.db import connection
from messaging.mailbox.models import Seat
print("seats", Seat.objects.count())
try:
    sqlite3.connect(sys.argv[1])
    print("opened")
except PermissionError as refused:
    print("refused", refused)
"""


def run(agents, path: Path, before: str = "") -> str:
    child: Agents = agents("-c", PROGRAM.format(before=before), str(path))
    child.process.wait(20)
    child.close()
    return b"".join(child.raw + child.complaints).decode()


def test_the_agents_process_opens_the_walled_database_and_no_other(agents, tmp_path):
    told = run(agents, tmp_path / "other.sqlite3")
    assert "seats 0" in told
    assert "refused agents reach no database but the walled one" in told
    assert not (tmp_path / "other.sqlite3").exists()


def test_the_control_without_the_hook_it_opens(agents, tmp_path):
    before = "from messaging.agents import hook; hook._installed = True"
    told = run(agents, tmp_path / "other.sqlite3", before)
    assert "seats 0" in told
    assert "opened" in told


@pytest.mark.parametrize("event", ["sqlite3.connect", "sqlite3.load_extension", "sqlite3.enable_load_extension"])
def test_what_is_refused(event):
    with pytest.raises(PermissionError):
        hook.refuse(event, ("x",))


def test_what_passes():
    hook.refuse("open", ("x",))
    hook.refuse("sqlite3.connect/handle", (sqlite3,))
    with walled.opening():
        hook.refuse("sqlite3.connect", ("x",))
        with pytest.raises(PermissionError):
            hook.refuse("sqlite3.load_extension", ("x",))
