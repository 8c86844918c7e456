"""The run: which stages go beside which, and what is heard of them."""

from __future__ import annotations

import sys
import time

import pytest

from tests.run import __main__ as run
from tests.run import stages
from tests.run.beside import Beside
from tests.run.servers import Servers
from tests.run.stages import Failed, Stage


def done(_: Servers) -> None:
    sys.stdout.write("done")


def failed(_: Servers) -> None:
    raise Failed("it did not")


def other(name: str) -> Stage:
    return Stage(name, "another", done, beside="one")


@pytest.fixture
def servers():
    made = Servers()
    yield made
    made.stop()


#: What a stage beside another one says, as `tests.run` would: with a summary of itself alone.
SAYS = """import signal, sys, time; name = sys.argv[1]
signal.signal(signal.SIGINT, signal.default_int_handler); print(f"=== {name}: begins", flush=True)
time.sleep(30 if name == "long" else 0); print("\\n=== summary of one"); sys.exit(name == "bad")"""
PROGRAM = (sys.executable, "-c", SAYS)


def test_those_beside_say_all_at_once_and_how_they_ended(capsys):
    with Beside([other("good"), other("bad")], PROGRAM) as beside:
        sys.stdout.write("the one\n")
    assert [(stage.name, end) for stage, end, _ in beside.ends] == [("good", "passed"), ("bad", "failed")]
    assert capsys.readouterr().out == "the one\n=== good: begins\n=== bad: begins\n"


def test_whoever_is_interrupted_waits_for_none_of_them():
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt), Beside([other("long"), other("good")], PROGRAM) as beside:
        time.sleep(1)
        raise KeyboardInterrupt
    assert time.monotonic() - began < 15
    assert [stage.name for stage, *_ in beside.ends] in ([], ["long"])


def test_one_stage_runs_beside_another_only_where_both_are_wanted(servers, monkeypatch):
    began = []

    class Seen(Beside):
        def __init__(self, chosen) -> None:
            began.append([one.name for one in chosen])
            super().__init__(chosen, PROGRAM)

    monkeypatch.setattr(run, "Beside", Seen)
    one, two = Stage("one", "the first", done), other("two")
    assert [(stage.name, end) for stage, end, _ in run.run_all([one, two], servers)] == [
        ("one", "passed"), ("two", "passed"),
    ]  # fmt: skip
    assert [stage.name for stage, *_ in run.run_all([two], servers)] == ["two"]
    assert began == [["two"], []]


def test_a_failure_is_told_and_keeps_nobody_from_running(servers):
    ends = list(run.run_all([Stage("one", "fails", failed), Stage("two", "the next", done)], servers))
    assert [(stage.name, end) for stage, end, _ in ends] == [("one", "failed"), ("two", "passed")]


def test_all_of_them_run_once_and_whoever_kills_has_the_machine_alone():
    names = [stage.name for stage in stages.ALL]
    assert len(set(names)) == len(names) == 11
    besides = {stage.beside for stage in stages.ALL} - {""}
    assert besides <= {stage.name for stage in stages.ALL if not stage.beside}
    assert "chaos" not in besides
    assert next(stage for stage in stages.ALL if stage.name == "chaos").beside == ""
