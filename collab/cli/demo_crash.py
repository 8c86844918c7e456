"""`earshot demo crash`: the agents' process is killed in mid-answer; attempt 2 answers, and there is one answer."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from uuid import UUID

from collab.cli import opened
from collab.cli.asking import agreed, say, until
from collab.cli.main import Refused

if TYPE_CHECKING:
    from collab.cli.scene import Scene

QUESTION = "Please repeat this after a pause, whatever happens to you meanwhile."
PAUSE = 4.0
#: A question may wait for the one before it; a turn whose process died, for its lease to run out.
LONGEST_BEGIN = 60.0
LONGEST_ANSWER = 120.0
LONGEST_SHOWN = 70


def run(chosen: argparse.Namespace) -> None:
    """Show each step; refuse at the end where there is not exactly one answer, by attempt 2."""
    found = opened.installation()
    with opened.answering():
        from collab.cli.agents_here import agents_here
        from collab.cli.scene import scene
        from collab.processes import parts

        here = scene(chosen.session)
        if here.seat.provider != "mirror":
            raise Refused(f"{here.seat.handle} is no mirror, and a model is not asked for a demonstration: --session")
        with parts.for_command(), agents_here(found) as agents:
            numbers = ", ".join(map(str, agents.pids))
            say(f"A crash, in the session {here.session.slug}: {here.seat.name} is asked, and while it answers the")
            say(f"agents' process is killed (on this machine: {numbers}).")
            if not chosen.yes:
                agreed("Go on?")
            with _slow(here):
                question = _ask(here)
                agents.kill()
                say(f"3  killed {', '.join(map(str, agents.pids))} (SIGKILL), in mid-answer")
                agents.replace()
                wrong = _watch(here, question)
    if wrong:
        raise Refused(f"the promise did not hold: {wrong}")
    say("\nOne question, two attempts, one answer.")


@contextmanager
def _slow(here: Scene) -> Iterator[None]:
    """Have the mirror pause in mid-answer, in this seat and for this question; then as its agent's settings say."""
    from messaging.mailbox.models import Seat
    from messaging.roster.models import Agent

    kept = Agent.objects.values_list("settings", flat=True).get(id=here.seat.agent)
    Seat.objects.filter(id=here.seat.id).update(settings=kept | {"pause": PAUSE})
    try:
        yield
    finally:
        Seat.objects.filter(id=here.seat.id).update(settings=kept)


def _ask(here: Scene) -> UUID:
    """Ask, and wait until the first words of the answer are out."""
    from messaging.mailbox.models import Utterance

    question = here.say(QUESTION, "active_agent")
    say(f"\n1  {here.owner.name} asks {here.seat.name}: {QUESTION!r}")
    pieces = Utterance.objects.filter(turn__input__message=question, kind=Utterance.Kind.PIECE)
    if not until(pieces.exists, LONGEST_BEGIN):
        raise Refused(f"{here.seat.name} did not begin to answer within {LONGEST_BEGIN:.0f} s: see `earshot status`")
    piece = pieces.earliest("n")
    say(f"2  attempt {piece.attempt} has begun to answer: {piece.text!r}")
    return question


def _watch(here: Scene, question: UUID) -> str:
    """Wait for the answer, tell the attempts; answer what was not as promised."""
    from messaging.mailbox.models import Attempt
    from messaging.transcript.models import Message

    say("4  waiting for attempt 2; where the dead process is not known to be dead, its lease runs out first (30 s)")
    answers = Message.objects.filter(answers=question)
    if not until(answers.exists, LONGEST_ANSWER, every=0.2):
        return f"no answer within {LONGEST_ANSWER:.0f} s: see `earshot status`"
    # A second answer would have the time of another attempt to appear.
    until(lambda: answers.count() > 1, PAUSE + 1)
    tries = list(Attempt.objects.filter(turn__input__message=question).order_by("n"))
    for step, one in enumerate(tries, 5):
        say(f"{step}  attempt {one.n}: {one.state}{f', {one.reason}' if one.reason else ''}")
    cut = textwrap.shorten(answers[0].text, LONGEST_SHOWN, placeholder=" …")
    say(f"{5 + len(tries)}  answers to this question: {answers.count()}, of {here.seat.name}: {cut!r}")
    told = [(one.n, one.state) for one in tries]
    if answers.count() != 1:
        return f"{answers.count()} answers"
    return "" if told == [(1, "failed"), (2, "finished")] else f"the attempts were {told}"
