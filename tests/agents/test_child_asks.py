"""An approval from end to end, with the agents' own process by the restricted role, killed before and while it acts."""

from __future__ import annotations

import os
import signal
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from messaging.actions.collect import collect
from messaging.actions.stop import stop
from messaging.mailbox.models import Attempt, Seat, ToolCall, Turn
from messaging.transcript.models import Ask, Message
from tests.actions.asks import answers
from tests.agents.conftest import Agents, until
from tests.cast import Room, person

pytestmark = pytest.mark.django_db(transaction=True)
#: The agents' process with one tool more, which writes a line for each time that it begins, and may then hang.
PROGRAM = """
import os, time
from pathlib import Path

import django
from messaging.agents.__main__ import main

set_up = django.setup

def with_plot():
    set_up()
    from messaging.agents import tools
    from messaging.agents.context import Offer

    def run(seat, arguments):
        with Path(os.environ["PLOT_FILE"]).open("a") as file:
            file.write(arguments["path"] + "\\n")
        time.sleep(float(os.environ["PLOT_SECONDS"]))
        return tools.Result("it is done")

    tools.TOOLS = {**tools.TOOLS, "plot": tools.Tool(Offer("plot", "Plots.", {"type": "object"}), run, acts=True)}

django.setup = with_plot
main()
"""
SCRIPT = {"script": [[[{"call": "plot", "with": {"path": "notes.txt"}}], [{"say": "so it is"}]]]}


@pytest.fixture
def room() -> Room:
    room = Room.open()
    mirror = Seat.objects.filter(session=room.session.id, handle="mirror")
    mirror.update(provider="scripted", settings=SCRIPT, policy={"tools": {"plot": "ask"}})
    return room


@pytest.fixture
def start(agents, tmp_path):
    def run(seconds: float = 0.0) -> Agents:
        started: Agents = agents("-c", PROGRAM, PLOT_FILE=str(tmp_path / "done"), PLOT_SECONDS=str(seconds))
        return started

    return run


@pytest.fixture
def done(tmp_path):
    file: Path = tmp_path / "done"
    return lambda: file.read_text().splitlines() if file.exists() else []


def kill(child: Agents) -> None:
    os.kill(child.process.pid, signal.SIGKILL)
    child.process.wait()


def asked(room: Room, child: Agents) -> Ask:
    room.say("sam", "a question", "active_agent")
    child.wake(room.seat("mirror").id)
    until(lambda: Turn.objects.filter(parked_at__isnull=False).exists())
    collect(room.session.id)
    return Ask.objects.get()


def finished(room: Room) -> str:
    def look() -> Message | None:
        collect(room.session.id)
        return Message.objects.filter(session=room.session, turn__isnull=False, author_kind="agent").first()

    return str(until(look).text)


def test_what_is_approved_runs_in_the_agents_process_once(room, start, done):
    child = start()
    ask = asked(room, child)
    assert done() == []
    answers("alex", ask)
    child.wake(room.seat("mirror").id)
    assert finished(room) == "so it is"
    assert done() == ["notes.txt"]
    call = ToolCall.objects.get()
    assert (call.state, call.result, call.approved) == ("done", "it is done", ask.digest)


def test_killed_between_approval_and_run_it_runs_once_all_the_same(room, start, done):
    child = start()
    ask = asked(room, child)
    kill(child)
    answers("alex", ask)
    assert done() == []
    start()
    assert finished(room) == "so it is"
    assert done() == ["notes.txt"]
    assert Attempt.objects.count() == 1


def test_killed_before_anybody_answers_it_is_still_asked(room, start, done):
    child = start()
    ask = asked(room, child)
    kill(child)
    collect(room.session.id)
    assert Ask.objects.get().state == "open"
    start()
    answers("alex", ask, "Decline")
    assert finished(room) == "so it is"
    assert done() == []


def test_killed_while_it_acts_it_is_never_run_again(room, start, done):
    child = start(60)
    answers("alex", asked(room, child))
    child.wake(room.seat("mirror").id)
    until(done)
    kill(child)
    # What time does to the lease of a process that was killed.
    Turn.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    start()
    until(lambda: Turn.objects.get().state == "failed")
    collect(room.session.id)
    turn = Turn.objects.get()
    assert (turn.reason, turn.retryable, turn.attempts) == ("interrupted", False, 1)
    assert done() == ["notes.txt"]
    assert Attempt.objects.get().acted is True


def test_stopped_while_it_waits_nothing_runs(room, start, done):
    child = start()
    ask = asked(room, child)
    stop(person("sam"), room.session)
    child.wake(room.seat("mirror").id)
    assert Ask.objects.get(id=ask.id).state == "withdrawn"
    room.say("alex", "and now?", "active_agent")
    Seat.objects.filter(handle="mirror").update(settings={"script": [[{"say": "nothing"}]]})
    child.wake(room.seat("mirror").id)
    assert finished(room) == "nothing"
    assert done() == []
