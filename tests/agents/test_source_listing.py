"""Looking at sources where the house asked for it: what is due, what is kept, and who is held up by one that hangs."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from django.utils import timezone

from messaging.agents.sources import listing
from messaging.agents.sources.listing import Listing, due, keep
from messaging.mailbox.models import Source
from tests.agents.conftest import until
from tests.agents.sources import program, source

TOOL = {"name": "read", "description": "", "schema": {}, "acts": False, "left_out": ""}


def made(name="things", **fields):
    row = source("stdio", {"command": ["true"]}, name, look=False)
    Source.objects.filter(id=row.id).update(**fields)
    return Source.objects.get(id=row.id)


def ago(**span):
    return timezone.now() - timedelta(**span)


@pytest.mark.django_db
class TestDue:
    def test_one_that_was_never_looked_at(self):
        row = made()
        assert due() == [row]

    def test_one_that_was_asked_about_since(self):
        made(listed_at=ago(hours=1), asked_at=ago(hours=2))
        again = made("others", listed_at=ago(hours=2), asked_at=ago(hours=1))
        assert due() == [again]

    def test_not_one_that_is_out_of_use(self):
        made(enabled=False)
        assert due() == []

    @pytest.mark.parametrize(("fault", "again"), [("source_unreachable", True), ("source_key", False), ("", False)])
    def test_one_that_may_be_back_by_now_is_tried_again_after_a_while(self, fault, again):
        made(listed_at=ago(minutes=6), asked_at=ago(hours=1), fault=fault)
        made("lately", listed_at=ago(minutes=4), asked_at=ago(hours=1), fault=fault)
        assert [one.name for one in due()] == (["things"] if again else [])


@pytest.mark.django_db
class TestKept:
    def test_what_is_found(self):
        keep(made(fault="source_key"), lambda _: ([TOOL], ""))
        row = Source.objects.get()
        assert (row.tools, row.fault) == ([TOOL], "")
        assert due() == []

    def test_why_nothing_is(self):
        keep(made(tools=[TOOL]), lambda _: ([], "source_refused"))
        row = Source.objects.get()
        assert (row.tools, row.fault) == ([], "source_refused")

    def test_a_fault_of_our_own_too(self):
        def broken(_):
            raise LookupError

        keep(made(), broken)
        assert Source.objects.get().fault == "source_fault"
        assert due() == []

    def test_not_what_was_found_by_settings_that_are_others_by_now(self):
        row = made()
        Source.objects.update(asked_at=timezone.now(), settings={"command": ["false"]})
        keep(row, lambda _: ([TOOL], ""))
        assert Source.objects.get().tools == []
        assert len(due()) == 1

    def test_a_clock_of_the_house_that_is_ahead_does_not_have_it_looked_at_for_ever(self):
        keep(made(asked_at=timezone.now() + timedelta(minutes=5)), lambda _: ([TOOL], ""))
        assert due() == []


@pytest.mark.django_db(transaction=True)
class TestSweep:
    def test_one_that_hangs_holds_up_neither_the_sweep_nor_the_others(self):
        hanging, goes_on = threading.Event(), threading.Event()

        def look(row):
            if row.name == "slow":
                hanging.set()
                goes_on.wait(20)
            return [TOOL], ""

        made("slow", asked_at=ago(hours=1))
        made("things")
        sweeps = Listing(look)
        sweeps.sweep()
        assert hanging.wait(5)
        until(lambda: Source.objects.get(name="things").tools)
        sweeps.sweep()
        assert Source.objects.get(name="slow").tools == []
        goes_on.set()
        until(lambda: Source.objects.get(name="slow").tools)

    def test_no_more_than_a_few_at_a_time(self):
        goes_on, seen = threading.Event(), []

        def look(row):
            seen.append(row.name)
            goes_on.wait(20)
            return [], ""

        for n in range(8):
            made(f"things_{n}")
        sweeps = Listing(look)
        sweeps.sweep()
        sweeps.sweep()
        assert len(seen) == listing._MOST
        goes_on.set()

        def all_looked_at():
            sweeps.sweep()
            return not Source.objects.filter(listed_at=None).exists()

        until(all_looked_at)
        assert sorted(seen) == [f"things_{n}" for n in range(8)]

    def test_the_agents_own_process_looks_by_its_own_role(self, agents, tmp_path):
        program(tmp_path / "counted", look=False)
        agents()
        row = until(lambda: Source.objects.exclude(listed_at=None).first(), 30)
        assert row.fault == ""
        assert "read" in {one["name"] for one in row.tools}
