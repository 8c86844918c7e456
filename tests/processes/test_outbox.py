from __future__ import annotations

import threading
import time
from uuid import uuid4

import pytest

from collab.processes import outbox
from collab.processes.outbox import Outbox
from messaging.mailbox import wake


def test_lines_are_delivered_in_order_from_another_thread():
    seen: list[wake.Line] = []
    done = threading.Event()
    lines = [wake.Wake(uuid4()) for _ in range(3)]

    def deliver(line: wake.Line) -> None:
        seen.append(line)
        if len(seen) == len(lines):
            done.set()

    sending = Outbox(deliver)
    for line in lines:
        sending.send(line)
    assert done.wait(5)
    assert seen == lines
    sending.close()


def test_a_slow_door_holds_nobody_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(outbox, "MOST_WAITING", 2)
    release = threading.Event()

    def deliver(_: wake.Line) -> None:
        release.wait(5)

    sending = Outbox(deliver)
    began = time.monotonic()
    for _ in range(10):
        sending.send(wake.Wake(uuid4()))
    assert time.monotonic() - began < 1
    release.set()
    sending.close()


def test_a_door_that_fails_is_tried_with_the_next_line():
    tries: list[wake.Line] = []
    twice = threading.Event()

    def deliver(line: wake.Line) -> None:
        tries.append(line)
        if len(tries) == 2:
            twice.set()
        raise OSError

    sending = Outbox(deliver)
    sending.send(wake.Wake(uuid4()))
    sending.send(wake.Wake(uuid4()))
    assert twice.wait(5)
    sending.close()
