from __future__ import annotations

import logging
import sys

import psycopg

from collab.logs import Discreet

CANARY = "canary-of-a-message"


def record_of(error: Exception | None, message: str = "a task failed", *args: object) -> logging.LogRecord:
    info = None
    if error is not None:
        try:
            raise error
        except Exception:
            info = sys.exc_info()
    return logging.LogRecord("test", logging.ERROR, "here", 1, message, args, info)


def test_an_exception_is_logged_by_type_and_place_not_by_its_words():
    inner = ValueError(CANARY)
    outer = RuntimeError(f"row holds {CANARY}")
    outer.__cause__ = inner
    line = Discreet("%(message)s").format(record_of(outer))
    assert "builtins.RuntimeError" in line
    assert "builtins.ValueError" in line
    assert "test_logs.py" in line
    assert CANARY not in line


def test_the_library_s_own_formatter_would_show_them():
    assert CANARY in logging.Formatter("%(message)s").format(record_of(ValueError(CANARY)))


def test_the_queue_s_copy_of_the_words_is_taken_out():
    context = {"name": "sweep", "exc": f"ValueError({CANARY!r})"}
    record = record_of(ValueError(CANARY), "Task %(name)s: %(exc)s", context)
    line = Discreet("%(message)s").format(record)
    assert "Task sweep: ValueError" in line
    assert CANARY not in line


def test_a_sign_in_code_is_not_logged():
    line = Discreet("%(message)s").format(record_of(None, "failed at %s", "/sign-in/s3cret-code/?next=/"))
    assert "s3cret" not in line
    assert "/sign-in/…" in line


def test_a_database_s_refusal_is_told_by_its_code():
    line = Discreet("%(message)s").format(record_of(psycopg.errors.UniqueViolation(f"Key ({CANARY}) exists")))
    assert "psycopg.errors.UniqueViolation (23505)" in line
    assert CANARY not in line
