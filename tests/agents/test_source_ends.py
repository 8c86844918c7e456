"""What is left of a source's program once the agents' process is gone: nothing, however that went."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from messaging.agents.sources import keeper
from messaging.agents.sources.loop import Loop, TooLong
from messaging.agents.sources.program import NoVariable, environment
from tests.agents.conftest import until
from tests.agents.sources import SERVER, gone, running, words

CALLER = """
import sys, django
django.setup()
from uuid import uuid4
from messaging.agents.sources.remote import Remote
from messaging.mailbox.models import Source
source = Source(id=uuid4(), name="things", transport="stdio", settings={"command": sys.argv[1:]})
with_tools = Remote()
listed = {one["name"]: one for one in with_tools.find(source, 30)[0]}
with_tools.call(source, listed["fork"], {})
with_tools.call(source, listed["hang"], {})
"""


def test_a_kill_of_the_caller_mid_call_ends_the_program_and_all_that_it_started(tmp_path):
    file = tmp_path / "counted"
    caller = subprocess.Popen(
        [sys.executable, "-c", CALLER, sys.executable, str(SERVER), str(file)],
        env=os.environ | {"TMPDIR": str(tmp_path), "PYTHONPATH": str(Path.cwd())},
    )
    try:
        until(lambda: "hanging" in words(file), 30)
        started = [int(one.removeprefix("child:")) for one in words(file) if one.startswith("child:")]
        pids = [one for one in [*started, *running(file)] if one != caller.pid]
        assert len(pids) >= 4
        assert not gone(pids, 0.2)
    finally:
        os.kill(caller.pid, signal.SIGKILL)
        caller.wait()
    assert gone(pids)
    assert not list(tmp_path.glob("source-*"))


def kept(*command, **more):
    """Runs the keeper on its own; the code that it ends with once its line is closed or the program ends."""
    theirs, ours = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", keeper.__file__, str(theirs), *command], pass_fds=(theirs,), stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, **more,
    )  # fmt: skip
    os.close(theirs)
    return process, ours


def test_the_keeper_answers_with_the_programs_own_code():
    process, line = kept("sh", "-c", "exit 7")
    assert process.wait(10) == 7
    os.close(line)
    process.stdin.close()
    process.stdout.close()


def test_and_says_that_there_is_no_program():
    process, line = kept("/no/such/program")
    assert process.wait(10) == keeper.NO_PROGRAM
    os.close(line)
    process.stdin.close()
    process.stdout.close()


def test_what_will_not_end_is_killed():
    process, line = kept("sh", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done")
    assert process.stdout.readline() == b"ready\n"
    began = time.monotonic()
    os.close(line)
    process.wait(10)
    assert 0.4 < time.monotonic() - began < 4
    process.stdin.close()
    process.stdout.close()


def test_the_library_is_loaded_where_it_is_needed_and_nowhere_else():
    code = (
        "import sys, django; django.setup()\n"
        "import collab.urls, collab.moderation.sources, messaging.agents.service, messaging.agents.sources\n"
        "print(sorted({'mcp', 'mcp_types', 'httpx2'} & set(sys.modules)))\n"
        "messaging.agents.sources.remote.load(); print('mcp' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ, cwd=Path.cwd(), capture_output=True, text=True, check=True
    )
    assert done.stdout.split("\n")[:2] == ["[]", "True"]


def test_what_is_passed_on_is_named_or_harmless():
    environ = {"PATH": "/bin", "LC_ALL": "C", "OTHER": "x", "WANTED": "y", "DATABASE_URL": "z"}
    assert environment(["WANTED"], environ) == {"PATH": "/bin", "LC_ALL": "C", "WANTED": "y"}
    assert "DATABASE_URL" not in environment(["DATABASE_URL"], environ)
    with pytest.raises(NoVariable):
        environment(["ABSENT"], environ)


class TestLoop:
    def test_it_gives_what_the_work_gives_and_raises_what_it_raises(self):
        loop = Loop()

        async def fine():
            return 3

        async def wrong():
            raise LookupError

        assert loop.wait(fine(), 5) == 3
        with pytest.raises(LookupError):
            loop.wait(wrong(), 5)
        loop.close()

    def test_it_waits_so_long_and_no_longer_and_ends_what_is_left(self):
        import asyncio

        loop, ended = Loop(), []

        async def slow():
            try:
                await asyncio.sleep(60)
            finally:
                ended.append(1)

        with pytest.raises(TooLong):
            loop.wait(slow(), 0.2)
        loop.close()
        assert ended

    def test_closing_what_never_began_is_nothing(self):
        Loop().close()
