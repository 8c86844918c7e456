from __future__ import annotations

import threading
import time
from uuid import uuid4

import pytest

from collab.processes import outbox
from collab.processes.outbox import Outbox
from collab.processes.poking import latest
from messaging.journal.poke import Poke
from messaging.mailbox import wake


def test_lines_are_delivered_in_order_from_another_thread():
    seen: list[wake.Line] = []
    done = threading.Event()
    lines = [wake.Wake(uuid4()) for _ in range(3)]

    def deliver(line: wake.Line) -> None:
        seen.append(line)
        if len(seen) == len(lines):
            done.set()

    sending = Outbox("door", deliver)
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

    sending = Outbox("door", deliver)
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

    sending = Outbox("door", deliver)
    sending.send(wake.Wake(uuid4()))
    sending.send(wake.Wake(uuid4()))
    assert twice.wait(5)
    sending.close()


def joined(lists: list[list[int]]) -> list[int]:
    return [number for one in lists for number in one]


def test_what_comes_within_a_moment_is_delivered_once_and_what_comes_later_by_itself():
    seen: list[list[int]] = []
    came = threading.Semaphore(0)

    def deliver(numbers: list[int]) -> None:
        seen.append(numbers)
        came.release()

    sending: Outbox[list[int]] = Outbox("door", deliver, together=joined, moment=0.2)
    for number in range(3):
        sending.send([number])
    assert came.acquire(timeout=5)
    sending.send([3])
    assert came.acquire(timeout=5)
    assert seen == [[0, 1, 2], [3]]
    sending.close()


def test_the_word_to_stop_is_heard_among_what_is_sent_together():
    seen: list[list[int]] = []
    sending: Outbox[list[int]] = Outbox("door", seen.append, together=joined, moment=0.2)
    sending.send([0])
    sending.close()
    sending._thread.join(5)
    assert not sending._thread.is_alive()
    assert seen == [[0]]


def test_of_several_pokes_of_a_session_the_last_is_told():
    one, other, turn = uuid4(), uuid4(), uuid4()
    commits = [[Poke(one, 1), Poke(other, 7)], [Poke(one, turn=turn)], [Poke(one, 2)], [Poke(one, turn=turn)]]
    assert latest(commits) == [Poke(one, 2), Poke(other, 7), Poke(one, turn=turn)]
