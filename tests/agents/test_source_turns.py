"""Tools of sources in a turn: by the agent's policy alone, on record, and gone with the turn that called them."""

from __future__ import annotations

import threading
import time
from uuid import uuid4

import pytest
from django.db import connections

from messaging.agents import turn
from messaging.domain.call import Call
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Attempt, ToolCall, Turn
from tests.agents.conftest import until
from tests.agents.fakes import put_in
from tests.agents.sources import gone, program, running, seat, words
from tests.agents.test_tools import run, steps
from tests.mailbox import cast


def called(monkeypatch, policy, name="act", **arguments):
    """The provider of a turn whose first step calls a tool of the source; its agent has this policy."""
    asked = put_in(monkeypatch, steps([Call("call-1", f"things__{name}", arguments)], ["done"]))
    mirror = seat("things")
    mirror.policy, mirror.provider = {"tools": policy}, "fake"
    mirror.save(update_fields=["policy", "provider"])
    return asked, mirror


@pytest.mark.django_db
class TestTurns:
    def test_a_call_is_made_and_its_result_is_in_the_next_request(self, monkeypatch, tmp_path):
        file = tmp_path / "counted"
        program(file)
        asked, mirror = called(monkeypatch, {"things__act": "allowed"}, word="bell")
        assert run(mirror).state == "finished"
        row = ToolCall.objects.get()
        assert (row.name, row.state, row.result) == ("things__act", "done", "done 1")
        assert Attempt.objects.get().acted
        assert [one.name for one in asked.requests[0].tools] == ["things__act"]
        assert words(file) == ["bell"]
        assert gone(running(file)), "nothing outlives the attempt"

    def test_one_that_only_reads_is_no_act(self, monkeypatch, tmp_path):
        program(tmp_path / "counted")
        asked, mirror = called(monkeypatch, {"things__*": "allowed", "things__act": "denied"}, "read", word="x")
        run(mirror)
        assert ToolCall.objects.get().result == "read x"
        assert not Attempt.objects.get().acted
        names = {one.name for one in asked.requests[0].tools}
        assert "things__read" in names
        assert "things__act" not in names

    @pytest.mark.parametrize("policy", [{}, {"things__read": "allowed"}, {"things__act": "denied"}])
    def test_an_agent_whose_policy_does_not_name_it_calls_in_vain(self, monkeypatch, tmp_path, policy):
        file = tmp_path / "counted"
        program(file)
        _, mirror = called(monkeypatch, {"peers": "allowed", **policy}, word="bell")
        run(mirror)
        assert ToolCall.objects.get().reason == "no_such_tool"
        assert words(file) == []

    def test_nor_does_one_whose_session_does_not_grant_it(self, monkeypatch, tmp_path):
        file = tmp_path / "counted"
        program(file)
        asked, mirror = called(monkeypatch, {"peers": "allowed", "things__act": "allowed"}, word="bell")
        mirror.sources = []
        mirror.save(update_fields=["sources"])
        run(mirror)
        assert ToolCall.objects.get().reason == "no_such_tool"
        assert [one.name for one in asked.requests[0].tools] == ["peers"]
        assert words(file) == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("how", ["taken", "interrupted"])
def test_a_turn_that_ends_ends_a_call_that_hangs(monkeypatch, tmp_path, how):
    file = tmp_path / "counted"
    program(file, timeout=300)
    _, mirror = called(monkeypatch, {"things__hang": "allowed"}, "hang")
    cast.told(mirror, "go")
    held, interrupt, ended = claim(mirror.id), threading.Event(), []

    def attempt():
        try:
            turn.run(held, interrupt.is_set)
            ended.append(time.monotonic())
        finally:
            connections.close_all()

    thread = threading.Thread(target=attempt)
    thread.start()
    try:
        until(lambda: "hanging" in words(file))
        pids = running(file)
        began = time.monotonic()
        if how == "interrupted":
            interrupt.set()
        else:
            Turn.objects.update(lease_owner=uuid4())
        until(lambda: ended, 20)
    finally:
        interrupt.set()
        thread.join(30)
    assert ended[0] - began < 6
    assert gone(pids)
