"""Tools of MCP servers, by a real server: what is offered, what a call gives, what it costs at most, what it never sees."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from messaging.domain.call import MAX_RESULT
from messaging.mailbox.models import Source
from tests.agents.sources import Asking, gone, over_http, program, running, seat, source, words

pytestmark = pytest.mark.django_db
OFFERED = ["act", "fail", "fork", "hang", "leave", "much", "picture", "read", "structured", "where"]


@pytest.fixture
def file(tmp_path):
    return tmp_path / "counted"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    file = tmp_path_factory.mktemp("server") / "counted"
    with over_http(file) as url:
        yield url, file


@pytest.fixture(params=["stdio", "http"])
def things(request, file):
    """An attempt with the source granted, over both transports."""
    if request.param == "stdio":
        program(file, timeout=20)
    else:
        url, file = request.getfixturevalue("address")
        source("http", {"url": url, "timeout": 20})
    with Asking(seat("things")) as asking:
        asking.file = file
        yield asking


@pytest.fixture
def only(file):
    """The same, with the program alone."""
    program(file, timeout=20)
    with Asking(seat("things")) as asking:
        yield asking


class TestOffers:
    def test_they_are_called_by_their_source_and_say_whether_they_act(self, things):
        assert sorted(things.names) == [f"things__{name}" for name in OFFERED]
        assert not things.tool("things__read").acts
        assert things.tool("things__act").acts, "what does not say that it only reads may do anything"
        offer = things.tool("things__read").offer
        assert (offer.description, offer.schema["required"]) == ("Gives the word back.", ["word"])

    def test_a_name_that_no_model_takes_is_listed_and_not_offered(self, only):
        kept = {one["name"]: one["left_out"] for one in Source.objects.get().tools}
        assert kept["no name for models!"] == "name"
        assert kept["read"] == ""

    def test_nothing_is_started_for_an_offer(self, file):
        program(file)
        with Asking(seat("things")) as asking:
            assert asking.names
            assert running(file) == []

    def test_a_seat_without_the_grant_has_none_of_them(self, file):
        program(file)
        with Asking(seat("things")) as granted, Asking(seat()) as other, Asking(seat("thing")) as near:
            assert granted.names
            assert (other.names, near.names) == ([], [])

    @pytest.mark.parametrize("change", [{"enabled": False}, {"listed_at": None}])
    def test_neither_out_of_use_nor_before_it_was_looked_at(self, file, change):
        program(file)
        Source.objects.update(**change)
        with Asking(seat("things")) as asking:
            assert asking.names == []


class TestCalls:
    def test_it_gives_back_what_it_says(self, things):
        assert things.call("read", word="glass") == "read glass"

    def test_a_connection_serves_all_calls_of_an_attempt(self, only):
        assert only.where()["pid"] == only.where()["pid"]

    def test_what_acts_acts_once(self, things):
        before = words(things.file).count("bell")
        assert things.call("act", word="bell") == f"done {before + 1}"
        assert words(things.file).count("bell") == before + 1

    def test_what_is_for_programs_comes_as_json_and_a_picture_is_named(self, things):
        assert '"answer": 42' in things.call("structured")
        assert things.call("picture") == "a text\n(an image was left out)"

    def test_a_fault_of_the_tool_is_the_tools(self, things):
        reason, told = things.fails("fail")
        assert reason == "tool_error"
        assert "fail" in told
        assert things.call("read", word="on") == "read on"

    def test_arguments_that_do_not_fit_are_refused_by_the_server(self, things):
        assert things.fails("read", wrong="x")[0] == "tool_error"

    def test_what_is_long_is_cut_and_what_is_longer_is_not_taken(self, things):
        assert len(things.call("much", size=100_000).encode()) <= MAX_RESULT
        assert things.fails("much", size=10 * 2**20)[0] == "source_too_much"
        assert things.call("read", word="on") == "read on", "the next call has a connection of its own"

    def test_a_definition_that_changed_is_not_called(self, things):
        changed = things.file.with_suffix(".changed")
        changed.touch()
        try:
            reason, told = things.fails("read", word="x")
            assert reason == "source_changed"
            assert "has changed this tool" in told
            assert things.call("structured"), "the others are what they were"
        finally:
            changed.unlink()
        assert things.call("read", word="x") == "read x"


class TestEnds:
    def test_what_hangs_is_given_up_in_time(self, file):
        program(file, timeout=2)
        with Asking(seat("things")) as asking:
            asking.call("read", word="warm")
            began = time.monotonic()
            assert asking.fails("hang")[0] == "source_timeout"
            assert time.monotonic() - began < 5
            assert gone(running(file))
            assert words(file) == ["hanging"]

    def test_over_http_too(self, address):
        url, _ = address
        source("http", {"url": url, "timeout": 1})
        with Asking(seat("things")) as asking:
            assert asking.fails("hang")[0] == "source_timeout"

    def test_who_called_looks_meanwhile_and_may_end_it(self, file):
        class Stopped(Exception):
            pass

        looks = []

        def look():
            looks.append(time.monotonic())
            if words(file):
                raise Stopped

        program(file, timeout=60)
        with Asking(seat("things"), look) as asking:
            began = time.monotonic()
            with pytest.raises(Stopped):
                asking.call("hang")
            assert time.monotonic() - began < 10
            assert looks
            assert gone(running(file))

    def test_a_program_that_ends_is_started_again_for_the_next_call(self, only):
        first = only.where()["pid"]
        assert only.fails("leave")[0] == "source_ended"
        assert only.where()["pid"] != first

    def test_the_end_of_the_attempt_ends_all_that_was_started(self, file):
        program(file)
        with Asking(seat("things")) as asking:
            assert asking.call("fork") == "forked"
            started = [int(one.removeprefix("child:")) for one in words(file)]
            assert len(started) == 2
            here = asking.where()
            pids = [*started, *running(file)]
            assert not gone(pids, 0.2)
        assert gone(pids)
        assert not Path(here["cwd"]).exists()

    def test_one_that_was_taken_away_meanwhile_is_not_called(self, only):
        only.call("read", word="x")
        Source.objects.update(enabled=False)
        assert only.fails("act", word="x")[0] == "source_gone"
        Source.objects.update(enabled=True)
        only.seat.sources = []
        assert only.fails("act", word="x")[0] == "source_gone"

    def test_nor_one_whose_settings_are_others_by_now(self, only):
        assert only.names
        Source.objects.update(settings={"command": ["true"]})
        assert only.fails("act", word="x")[0] == "source_changed"


class TestWhatAProgramSees:
    def test_only_what_its_source_names_and_nothing_of_ours(self, file, monkeypatch):
        for name in ("DATABASE_URL", "AGENTS_DATABASE_URL", "AGENTS_REDIS_URL", "SECRET_KEY", "EARSHOT_AGENTS_ALONE"):
            monkeypatch.setenv(name, "CANARY")
        monkeypatch.setenv("DJANGO_SETTINGS_MODULE", os.environ["DJANGO_SETTINGS_MODULE"])
        monkeypatch.setenv("ACME_API_KEY", "wanted")
        monkeypatch.setenv("OTHER_API_KEY", "CANARY")
        program(file, env=["ACME_API_KEY"])
        with Asking(seat("things")) as asking:
            environ = asking.where()["environ"]
        assert environ["ACME_API_KEY"] == "wanted"
        assert environ["PATH"] == os.environ["PATH"]
        assert "CANARY" not in environ.values()
        assert "DJANGO_SETTINGS_MODULE" not in environ

    def test_our_own_are_not_passed_on_even_by_name(self, file, monkeypatch):
        monkeypatch.setenv("AGENTS_DATABASE_URL", "CANARY")
        program(file, look=False, env=["AGENTS_DATABASE_URL"])
        assert look_again() == "source_settings"

    def test_one_that_is_not_set_is_said(self, file):
        program(file, look=False, env=["NOT_SET_API_KEY"])
        assert look_again() == "source_env"

    def test_it_begins_in_a_folder_that_is_empty(self, only):
        here = only.where()
        assert here["files"] == []
        assert here["environ"]["TMPDIR"] == here["cwd"]


def look_again() -> str:
    from messaging.agents.sources import listing

    listing.keep(Source.objects.get(), listing.find)
    return str(Source.objects.get().fault)
