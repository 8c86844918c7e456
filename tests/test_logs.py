from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from datetime import datetime, timedelta
from typing import Any

import psycopg
import pytest

from collab.logs import Discreet, JsonLines
from collab.processes import agents_environment
from tests.test_settings import AGENTS, evaluated

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


def line_of(record: logging.LogRecord) -> dict[str, Any]:
    text = JsonLines().format(record)
    assert "\n" not in text
    found: dict[str, Any] = json.loads(text)
    return found


def test_a_json_line_is_one_object_with_the_exception_s_place():
    found = line_of(record_of(ValueError(CANARY), "a task of %s failed", "sweep"))
    assert (found["level"], found["logger"], found["message"]) == ("ERROR", "test", "a task of sweep failed")
    assert datetime.fromisoformat(found["time"]).utcoffset() == timedelta(0)
    assert "builtins.ValueError" in found["exception"]
    assert "test_logs.py" in found["exception"]
    assert CANARY not in json.dumps(found)


def test_a_json_line_holds_nothing_that_merely_hangs_on_the_record():
    record = record_of(None, "line\nbreak “quoted”")
    record.request = CANARY
    assert line_of(record)["message"] == "line\nbreak “quoted”"
    assert CANARY not in JsonLines().format(record)


def test_a_sign_in_code_is_in_no_json_line():
    assert "s3cret" not in JsonLines().format(record_of(None, "failed at %s", "/sign-in/s3cret-code/?next=/"))


@pytest.mark.parametrize("formatter", [Discreet("%(message)s"), JsonLines()])
def test_an_exception_given_as_an_argument_is_told_by_its_type(formatter: logging.Formatter):
    line = formatter.format(record_of(None, "lost: %r", ValueError(CANARY)))
    assert "ValueError" in line
    assert CANARY not in line


def test_a_loop_s_report_shows_no_future():
    words = f"Task exception was never retrieved\nfuture: <Task finished exception=ValueError('{CANARY}')>"
    record = logging.LogRecord("asyncio", logging.ERROR, "here", 1, words, (), None)
    assert line_of(record)["message"] == "Task exception was never retrieved"


UNCAUGHT = """
import asyncio, os, sys, threading
from collab import logs
logs.configure(logs.setup(os.environ))
def fail(): raise ValueError("canary-of-a-message")
thread = threading.Thread(target=fail); thread.start(); thread.join()
async def forget():
    asyncio.get_running_loop().create_task(later())
    await asyncio.sleep(0.01)
async def later(): fail()
asyncio.run(forget())
fail()
"""


@pytest.mark.parametrize("chosen", ["text", "json"])
def test_what_nobody_catches_is_logged_without_its_words(chosen: str):
    environ = os.environ | {"LOG_FORMAT": chosen}
    done = subprocess.run([sys.executable, "-c", UNCAUGHT], env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "ValueError" in done.stderr
    # The source that stands in a trace is ours; here it is the program above, which Python cannot show.
    assert CANARY not in done.stderr
    if chosen == "json":
        lines = [json.loads(line) for line in done.stderr.splitlines()]
        assert [line["logger"] for line in lines] == ["collab.logs", "asyncio", "collab.logs"]


def test_every_process_of_the_house_and_of_agents_takes_the_format():
    formatter = "LOGGING['formatters']['discreet']['()']"
    for kind, more in (("house", {}), ("agents", AGENTS)):
        assert evaluated(kind, formatter, LOG_FORMAT="json", **more) == "collab.logs.JsonLines"
        assert evaluated(kind, formatter, **more) == "collab.logs.Discreet"
    assert "LOG_FORMAT" in agents_environment.cleaned({"LOG_FORMAT": "json"}, "sqlite:///x")
