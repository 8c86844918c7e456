"""What is promised, shown by the commands themselves; and that they can see when it does not hold."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from collab.cli import demo_crash, demo_wall
from collab.cli.main import Refused, main
from collab.cli.scene import scene
from messaging.actions.collect import collect
from messaging.actions.demo import seed
from messaging.mailbox import alive, say, wake
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Seat
from messaging.roster.models import Agent, Session
from messaging.transcript.models import Message
from tests.cli.conftest import Databases, earshot, refused
from tests.conftest import fleet_environ
from tests.services.earshot import Installation
from tests.services.redis import Redis

SECRET = "the secret of this demonstration is "


BOTH = pytest.mark.django_db(transaction=True, databases=["default", "agents"])


@pytest.fixture
def demo(installation: None) -> Seat:
    return Seat.objects.get(session=seed().id, handle="mirror")


def answers(*told: dict[str, object]):
    """A process of agents that answers so, whatever it is asked: the control first."""
    return lambda _found, statements: [{"rows": 1}, *told, *[{"refused": "no"}] * (len(statements) - 1 - len(told))]


@BOTH
def test_a_wall_with_a_hole_is_told(demo: Seat, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setattr(demo_wall, "_in_their_process", answers({"rows": 1}))
    assert main(["demo", "wall"]) == 1
    out, err = capsys.readouterr()
    assert "The wall holds" not in out
    assert err.startswith("earshot: the wall did not hold: SELECT text FROM transcript_message")


@BOTH
def test_refusals_without_a_control_say_nothing(
    demo: Seat, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(demo_wall, "_in_their_process", lambda _found, asked: [{"refused": "no"}] * len(asked))
    assert main(["demo", "wall"]) == 1
    assert "the control was refused" in capsys.readouterr().err


@BOTH
def test_a_secret_in_the_mailbox_is_told(
    demo: Seat, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr(demo_wall, "_in_their_process", answers())
    monkeypatch.setattr(demo_wall, "QUESTION", f"is it so that {SECRET}known?")
    monkeypatch.setattr("secrets.token_hex", lambda _size: "known")
    assert main(["demo", "wall"]) == 1
    assert "the secret lies in the mailbox" in capsys.readouterr().err


@pytest.mark.parametrize("part", ["wall", "crash"])
def test_a_session_that_is_not_there_or_has_no_agent_is_named(
    part: str, demo: Seat, capsys: pytest.CaptureFixture[str]
):
    assert main(["demo", part, "--session", "elsewhere"]) == 1
    assert "alex is in no open session elsewhere" in capsys.readouterr().err
    Session.objects.update(active_agent=None)
    assert main(["demo", part]) == 1
    assert "welcome has no active agent" in capsys.readouterr().err
    assert not Message.objects.exists()


def test_a_model_is_not_asked_for_a_demonstration(demo: Seat, capsys: pytest.CaptureFixture[str]):
    Seat.objects.update(provider="openai")
    assert main(["demo", "crash", "--yes"]) == 1
    assert "mirror is no mirror" in capsys.readouterr().err


def test_a_mirror_is_slow_for_the_demonstration_alone(demo: Seat):
    Agent.objects.filter(handle__spelled="mirror").update(settings={"kept": 1})
    with pytest.raises(KeyboardInterrupt), demo_crash._slow(scene("welcome")):
        assert Seat.objects.get(id=demo.id).settings == {"kept": 1, "pause": demo_crash.PAUSE}
        raise KeyboardInterrupt
    assert Seat.objects.get(id=demo.id).settings == {"kept": 1}


@pytest.mark.processes
def test_on_one_process(own: Installation):
    own.manage("migrate", "--verbosity", "0")
    own.manage("seed_demo")
    done = earshot(own, "demo", "wall")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Nobody answers, for Earshot is not running" in done.stdout
    assert "does not run on" in refused(earshot(own, "demo", "crash", "--yes"))
    child = own.up()
    done = earshot(own, "demo", "wall")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("refused: ") == 4
    assert "refused: access to transcript_message.text is prohibited" in done.stdout
    assert "refused: agents reach no database but the walled one" in done.stdout
    assert "I repeat what reached me" in done.stdout
    # What the seat holds is counted the same way by both.
    [held] = re.findall(r"Of the (\d+) messages in Mirror's seat here none holds the secret", done.stdout)
    assert f"answered, rows: {held} (Mirror's seat here; the control, which is allowed)" in done.stdout
    assert "The secret is not in it." in done.stdout
    done = earshot(own, "demo", "crash", "--yes")
    assert (done.returncode, done.stderr) == (0, "")
    assert "attempt 1: failed, interrupted" in done.stdout
    assert "attempt 2: finished" in done.stdout
    assert "answers to this question: 1," in done.stdout
    assert re.findall(r"^(\d)  ", done.stdout, re.MULTILINE) == list("1234567")
    assert "No agents run now" not in done.stdout
    assert child.running()


@contextmanager
def bystander_that_agents_name(url: str) -> Iterator[subprocess.Popen[bytes]]:
    """A process of which hostile code among the agents says in Redis that it is one of them."""
    agents = alive.client(url)
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"]) as started:
        told = replace(alive.this_process("agents"), pid=started.pid)
        agents.set(alive.key(wake.ALIVE, told), alive.encode(told))
        try:
            yield started
        finally:
            agents.delete(alive.key(wake.ALIVE, told))
            started.kill()


@pytest.fixture
def redis_of_its_own(tmp_path: Path) -> Iterator[Redis]:
    """Where all agents are named that a crash may kill: not those of the other tests' fleet."""
    server = Redis(tmp_path / "redis")
    server.start()
    yield server
    server.stop()


@pytest.mark.fleet
def test_on_a_fleet(own: Installation, databases: Databases, redis_of_its_own: Redis):
    house, agents = databases.new()
    addresses = {"DATABASE_URL": house, "AGENTS_DATABASE_URL": agents}
    addresses |= {"REDIS_URL": redis_of_its_own.url, "AGENTS_REDIS_URL": redis_of_its_own.agents_url}
    own.environ |= fleet_environ() | addresses
    started = own.fleet()
    started["agents"].wait_until(lambda: earshot(own, "status").returncode == 0, "all processes", 60)
    done = earshot(own, "demo", "wall")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("refused: permission denied for table") == 3
    assert "The secret is not in it." in done.stdout
    with bystander_that_agents_name(redis_of_its_own.agents_url) as bystander:
        done = earshot(own, "demo", "crash", "--yes")
        assert bystander.poll() is None
    assert (done.returncode, done.stderr) == (0, "")
    assert f"killed {started['agents'].pid} (SIGKILL)" in done.stdout
    assert f"No agents run now: {started['agents'].pid} was killed" in done.stdout
    assert "`earshot agents`" in done.stdout
    assert "answers to this question: 1," in done.stdout
    assert not started["agents"].running()

    # The control: with a right too many the same command sees the secret, and says so. It waits for an answer, too.
    own.start("agents")
    with psycopg.connect(house, autocommit=True) as owner:
        owner.execute("GRANT SELECT ON transcript_message TO agents")
    assert "the wall did not hold" in refused(earshot(own, "demo", "wall"))


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo_crash, "LONGEST_ANSWER", 0.1)
    monkeypatch.setattr(demo_crash, "PAUSE", -1)


def test_a_question_without_an_answer_is_told(demo: Seat, hasty: None):
    here = scene("welcome")
    assert demo_crash._watch(here, here.say("a question", "active_agent")).startswith("no answer within")


def test_an_answer_at_the_first_attempt_is_no_proof(demo: Seat, hasty: None):
    here = scene("welcome")
    question = here.say("a question", "active_agent")
    claimed = claim(demo.id)
    assert claimed is not None
    say.answer(claimed, "an answer")
    collect(here.session.id)
    assert demo_crash._watch(here, question) == "the attempts were [(1, 'finished')]"


def test_a_post_that_is_refused_is_told_by_its_reason(demo: Seat):
    with pytest.raises(Refused, match=r"the post was refused: text is empty\."):
        scene("welcome").say(" ", "participants")
