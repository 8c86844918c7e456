"""The first day as an operator has it: a fresh folder, `init`, a start without a demo, the commands beside it."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Databases, earshot, refused
from tests.conftest import fleet_environ
from tests.services.earshot import Installation


@pytest.mark.processes
def test_init_makes_an_installation_that_a_start_fills_with_no_demo(own: Installation):
    done = earshot(own, "init", "--handle", "kim", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert refused(earshot(own, "init", "--handle", "kim", "--yes")).startswith("kim owns this installation already")
    assert refused(earshot(own, "status")).startswith("missing: up, agents; nothing runs on this data folder")
    child = own.up()
    assert own.status(own.link().removeprefix(own.address)) == 200
    assert refused(earshot(own, "demo", "leave", "--owner", "kim", "--yes")).startswith("there is no demo here")
    assert "is in no open session welcome" in refused(earshot(own, "demo", "wall"))
    assert "no active agent" in refused(earshot(own, "demo", "wall", "--session", "home"))
    told = json.loads(earshot(own, "status", "--json").stdout)
    assert told["processes"][0]["pid"] == child.pid
    assert [one["role"] for one in told["processes"]] == ["up", "agents"]
    assert (told["missing"], told["redis"], told["embedded"]) == ([], None, True)
    checked = earshot(own, "check")
    assert (checked.returncode, checked.stderr) == (0, "")
    assert "owner            kim" in checked.stdout


@pytest.mark.processes
def test_while_it_runs_the_demo_is_left_and_its_tokens_do_nothing_more(own: Installation):
    own.up()
    secrets = own.tokens()["tokens"]
    assert earshot(own, "demo", "leave", "--owner", "kim", "--yes").returncode == 0
    import httpx

    for handle in ("alex", "sam", "mirror", "scout"):
        answer = httpx.get(f"{own.address}/api/v1/me", headers={"Authorization": f"Bearer {secrets[handle]}"})
        assert answer.status_code == 401, handle


@pytest.mark.fleet
def test_init_on_postgresql_waits_for_the_migration_that_a_fleet_makes_by_hand(own: Installation, databases: Databases):
    house, agents = databases.new()
    own.environ |= fleet_environ() | {"DATABASE_URL": house, "AGENTS_DATABASE_URL": agents}
    assert "migrate" in refused(earshot(own, "init", "--handle", "kim", "--yes"))
    own.manage("migrate", "--verbosity", "0")
    done = earshot(own, "init", "--handle", "kim", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert refused(earshot(own, "init", "--handle", "kim", "--yes")).startswith("kim owns this installation already")


@pytest.mark.fleet
def test_init_on_postgresql_in_one_process_makes_its_tables(own: Installation, databases: Databases):
    house, agents = databases.new()
    own.environ |= {"DATABASE_URL": house, "AGENTS_DATABASE_URL": agents}
    done = earshot(own, "init", "--handle", "kim", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert earshot(own, "check").returncode == 0
