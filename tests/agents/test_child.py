"""The agents' own process: its pipes, its wall, its end. The real settings, the real role."""

from __future__ import annotations

import os
import signal
import time
from uuid import uuid4

import pytest

from messaging.mailbox import wake
from messaging.mailbox.claim import claim
from messaging.mailbox.models import Attempt, Delivery, Turn, Utterance
from tests.agents.conftest import Agents, until
from tests.mailbox import cast

pytestmark = pytest.mark.django_db(transaction=True)
SLOW = {"script": [[{"say": "working"}, {"pause": 60}, {"say": "done"}], [{"say": "second try"}]]}


def answers() -> list[str]:
    return list(Utterance.objects.filter(kind="answer").values_list("text", flat=True))


def test_a_wake_up_is_answered_by_lines_that_hold_ids_alone(agents):
    child: Agents = agents()
    seat = cast.mirror()
    cast.told(seat, "what do you hear, CANARY?")
    child.wake(seat.id)
    child.hear(wake.Collect(seat.session))
    row = until(lambda: Turn.objects.filter(state="finished").first())
    assert answers() == ["I repeat what reached me; I am no model.\n\nAlex: what do you hear, CANARY?"]
    assert child.close() < 3
    lines = {wake.decode(raw) for raw in child.raw}
    assert lines == {wake.Collect(seat.session), wake.Piece(seat.session, row.id)}
    assert b"CANARY" not in b"".join(child.raw) + b"".join(child.complaints)


def test_it_ends_when_its_input_closes_and_hands_on_what_runs(agents):
    child: Agents = agents()
    seat = cast.mirror(provider="scripted", settings=SLOW)
    cast.told(seat, "go")
    child.wake(seat.id)
    until(lambda: Utterance.objects.filter(text="working").exists())
    assert child.close() < 3
    assert child.process.returncode == 0
    attempt = Attempt.objects.get()
    assert (attempt.state, attempt.reason) == ("failed", "interrupted")
    assert Turn.objects.get().state == "running"


def test_a_killed_childs_turn_is_taken_up_at_once_by_the_next_child(agents):
    first: Agents = agents()
    seat = cast.mirror(provider="scripted", settings=SLOW)
    asked = cast.told(seat, "go")
    first.wake(seat.id)
    until(lambda: Utterance.objects.filter(text="working").exists())
    os.kill(first.process.pid, signal.SIGKILL)
    first.process.wait()

    began = time.monotonic()
    agents()
    assert until(answers) == ["second try"]
    assert time.monotonic() - began < 10, "it did not wait for the lease"
    tries = list(Attempt.objects.order_by("n").values_list("n", "state", "reason"))
    assert tries == [(1, "failed", "interrupted"), (2, "finished", "")]
    assert Delivery.objects.get(id=asked.id).state == "delivered"


def test_by_its_own_role_it_takes_what_steers_it_and_a_killed_ones_next_takes_the_rest(agents):
    script = [
        [[{"say": "first"}, {"pause": 1}], [{"say": "second"}, {"pause": 60}]],
        [[{"say": "anew"}, {"pause": 1}], [{"say": "and last"}]],
    ]
    child: Agents = agents()
    seat = cast.mirror(provider="scripted", settings={"script": script})
    cast.told(seat, "go")
    child.wake(seat.id)
    until(lambda: Utterance.objects.filter(text="first").exists())
    held = Turn.objects.get().id
    early = cast.steers(held, "rather so")
    until(lambda: Utterance.objects.filter(kind="piece", text="\n\nsecond").exists())
    assert Delivery.objects.get(id=early.id).state == "delivered"
    later = cast.steers(held, "and so")
    os.kill(child.process.pid, signal.SIGKILL)
    child.process.wait()

    agents()
    until(lambda: Utterance.objects.filter(text="anew").exists())
    assert Delivery.objects.get(id=later.id).state == "delivered"
    last = cast.steers(held, "once more")
    assert until(answers) == ["anew\n\nand last"]
    assert Delivery.objects.get(id=last.id).number == 4


def test_a_stop_is_noticed_within_a_second_or_two_and_the_next_question_is_taken(agents):
    child: Agents = agents()
    seat = cast.mirror(provider="scripted", settings=SLOW)
    cast.told(seat, "go")
    child.wake(seat.id)
    until(lambda: Utterance.objects.filter(text="working").exists())
    cast.stop(Turn.objects.get().id)
    began = time.monotonic()
    assert until(lambda: any(b"no longer held" in line for line in child.complaints), 10)
    assert time.monotonic() - began < 4
    cast.told(seat, "next")
    child.wake(seat.id)
    until(lambda: Turn.objects.filter(state="running").exists())
    assert answers() == []


def test_one_that_is_not_alone_leaves_leases_alone(agents):
    seat = cast.mirror()
    cast.told(seat, "go")
    held = claim(seat.id)
    assert held is not None
    agents(EARSHOT_AGENTS_ALONE="0")
    time.sleep(3)
    assert answers() == []
    assert Turn.objects.get().lease_owner == held.attempt


def test_lines_that_are_none_and_seats_that_are_none_do_no_harm(agents):
    child: Agents = agents()
    assert child.process.stdin
    child.process.stdin.write(b"nonsense\n" + b"x" * 9000 + b'\n{"type":"wake"}\n\xff\xfe\n')
    child.process.stdin.write(wake.encode(wake.Collect(uuid4())))
    child.wake(uuid4())
    seat = cast.mirror()
    cast.told(seat, "still there?")
    child.wake(seat.id)
    assert until(answers)


def test_a_terminals_interrupt_is_the_houses_to_handle(agents):
    child: Agents = agents()
    seat = cast.mirror()
    cast.told(seat, "one")
    child.wake(seat.id)
    assert until(answers)
    child.process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    assert child.process.poll() is None


def test_no_library_of_models_is_loaded_before_a_model_is_asked(agents):
    program = (
        "import sys, django; django.setup()\n"
        "from messaging.agents import providers, service\n"
        "providers.get('mirror'); print('models' if 'pydantic_ai' in sys.modules else 'none')\n"
        "providers.get('openai'); print('models' if 'pydantic_ai' in sys.modules else 'none')\n"
    )
    child: Agents = agents("-c", program)
    child.process.wait(30)
    child.close()
    assert child.raw == [b"none\n", b"models\n"]


def test_a_stray_print_does_not_reach_the_pipe(agents):
    program = (
        "import os, sys, runpy, atexit, threading\n"
        "say = lambda: (print('stray'), os.write(1, b'stray bytes\\n'), sys.__stdout__.flush())\n"
        "threading.Timer(1.5, say).start()\n"
        "runpy.run_module('messaging.agents', run_name='__main__')\n"
    )
    child: Agents = agents("-c", program)
    until(lambda: b"stray bytes\n" in child.complaints and b"stray\n" in child.complaints)
    child.close()
    assert child.raw == []
