"""Questions and long work in threads of their own: an answer, an error, or a word that there is none in time."""

from __future__ import annotations

import threading
import time
from typing import NoReturn

import psycopg
import pytest
from django.db import OperationalError, connection

from collab.processes.patience import timed_out, watched, within
from messaging.roster.models import Installation

pytestmark = pytest.mark.django_db


def test_the_answer_comes_by_the_asker_s_own_connection():
    """What this thread has not committed is there for its question."""
    before = within(5, Installation.objects.count)
    Installation.objects.create()
    assert within(5, Installation.objects.count) == before + 1
    assert within(5, lambda: connection.vendor) == connection.vendor


def test_an_error_is_raised_where_it_was_asked():
    def refuse() -> NoReturn:
        raise OperationalError("gone")

    with pytest.raises(OperationalError, match="gone"):
        within(5, refuse)


@pytest.mark.django_db(transaction=True)
def test_what_hangs_is_left_in_time_and_the_next_question_has_a_connection_of_its_own():
    hung = connection.connection
    let_go = threading.Event()
    began = time.monotonic()
    with pytest.raises(TimeoutError, match=r"does not answer within 0\.1 s"):
        within(0.1, lambda: let_go.wait(30))
    assert time.monotonic() - began < 2
    assert within(5, Installation.objects.count) == Installation.objects.count()
    assert connection.connection is not hung or hung is None
    let_go.set()


def test_the_driver_s_own_patience_counts_as_none_in_time_and_a_refusal_does_not():
    late, refused = OperationalError(), OperationalError()
    late.__cause__, refused.__cause__ = psycopg.errors.ConnectionTimeout(), psycopg.OperationalError()
    assert (timed_out(late), timed_out(refused), timed_out(TimeoutError())) == (True, False, False)

    def wait() -> NoReturn:
        raise late

    with pytest.raises(TimeoutError, match="within 5 s"):
        within(5, wait)


def test_long_work_may_take_its_time_while_its_server_answers():
    answers = iter([True, False, True, False, True])
    assert watched(lambda: time.sleep(0.3) or "done", lambda: next(answers, True), every=0.05) == "done"


@pytest.mark.django_db(transaction=True)
def test_long_work_is_left_once_its_server_has_been_silent_twice():
    let_go, asked = threading.Event(), []

    def alive() -> bool:
        asked.append(1)
        return False

    with pytest.raises(TimeoutError):
        watched(lambda: let_go.wait(30), alive, every=0.05)
    assert len(asked) == 2
    let_go.set()
