"""The runner of the agents' child, over children that behave and children that do not."""

from __future__ import annotations

import json
import logging
import os
import queue
import sys
import time
from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest

from collab.processes.backoff import Backoff
from collab.processes.pipe import AgentsChild
from messaging.mailbox import wake

ECHO = "import sys\nfor line in sys.stdin:\n    sys.stdout.write(line)\n    sys.stdout.flush()"
ENVIRONMENT = "import json, os, sys\nprint(json.dumps(dict(os.environ)), flush=True)\nsys.stdin.read()"
DEAF = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('up', flush=True)\ntime.sleep(60)"
DYING = "print('up', flush=True)"
ENDLESS = "import sys\nsys.stdout.write('x' * 100_000)\nsys.stdout.flush()\nsys.stdin.read()"

Start = Callable[..., tuple[AgentsChild, "queue.Queue[bytes]"]]


@pytest.fixture
def start() -> Iterator[Start]:
    started: list[AgentsChild] = []

    def of(program: str, **environ: str) -> tuple[AgentsChild, queue.Queue[bytes]]:
        heard: queue.Queue[bytes] = queue.Queue()
        backoff = Backoff(first=0.01, longest=0.02)
        child = AgentsChild(environ, heard.put, (sys.executable, "-c", program), backoff)
        child.start()
        started.append(child)
        return child, heard

    yield of
    for child in started:
        child.stop(0.1)


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 10
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_lines_go_in_and_come_out(start: Start):
    child, heard = start(ECHO)
    until(child.alive)
    line = wake.Wake(uuid4())
    child.deliver(line)
    assert wake.decode(heard.get(timeout=5)) == line


def test_the_child_has_the_environment_it_was_given_and_no_more(start: Start):
    os.environ["ONLY_THE_HOUSE_KNOWS"] = "this"
    try:
        _, heard = start(ENVIRONMENT, GIVEN="that")
        found = json.loads(heard.get(timeout=5))
    finally:
        del os.environ["ONLY_THE_HOUSE_KNOWS"]
    assert found["GIVEN"] == "that"
    assert "ONLY_THE_HOUSE_KNOWS" not in found


def test_a_child_that_dies_is_started_again(start: Start):
    _, heard = start(DYING)
    assert [heard.get(timeout=5) for _ in range(3)] == [b"up\n"] * 3


def test_a_killed_child_is_replaced(start: Start):
    child, heard = start(ECHO)
    until(child.alive)
    first = child.pid
    assert first
    os.kill(first, 9)
    until(lambda: child.pid not in (None, first))
    line = wake.Wake(uuid4())
    child.deliver(line)
    assert wake.decode(heard.get(timeout=5)) == line


def test_a_child_ends_when_its_input_closes(start: Start):
    child, _ = start(ECHO)
    until(child.alive)
    began = time.monotonic()
    child.stop()
    assert time.monotonic() - began < 1
    assert not child.alive()


def test_a_child_that_will_not_end_is_killed(start: Start):
    child, heard = start(DEAF)
    heard.get(timeout=5)
    began = time.monotonic()
    child.stop(0.2)
    assert time.monotonic() - began < 1
    assert not child.alive()


def test_a_line_without_an_end_takes_bounded_memory(start: Start):
    _, heard = start(ENDLESS)
    assert max(len(heard.get(timeout=5)) for _ in range(20)) <= 1024


def test_waking_a_child_that_is_not_there_drops_the_line(start: Start, caplog: pytest.LogCaptureFixture):
    child, heard = start(ECHO)
    until(child.alive)
    child.stop()
    with caplog.at_level(logging.INFO):
        child.deliver(wake.Wake(uuid4()))
    assert [record.getMessage() for record in caplog.records] == [
        "The agents' process was gone when it should be woken"
    ]
    assert heard.empty()
