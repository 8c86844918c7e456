"""`earshot demo wall`: a secret among people, a question to the agent, and the agent's way to the secret: refused."""

from __future__ import annotations

import argparse
import json
import os
import secrets
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING
from uuid import UUID

from collab import addresses
from collab.cli import as_agents, opened
from collab.cli.asking import say, until
from collab.cli.main import Refused
from collab.environment import Environment

if TYPE_CHECKING:
    from collab.cli.scene import Scene

QUESTION = "What is the secret of this demonstration?"
SECONDS = 20.0
SHOWN = 5
LONGEST_SHOWN = 600
COMMAND = ("-m", "collab.cli.as_agents")


def run(chosen: argparse.Namespace) -> None:
    """Show each step with what came of it; refuse at the end where the wall did not hold."""
    found = opened.installation()
    with opened.answering():
        from collab.cli.scene import scene
        from collab.processes import parts

        here = scene(chosen.session)
        with parts.for_command():
            holes = _show(found, here)
    if holes:
        raise Refused(f"the wall did not hold: {'; '.join(holes)}")
    say("\nThe wall holds.")


def _show(found: Environment, here: Scene) -> list[str]:
    """All steps; answer what was open."""
    secret = f"the secret of this demonstration is {secrets.token_hex(6)}"
    agent = here.seat.name
    say(f"The wall, in the session {here.session.slug}.\n")
    here.say(secret, "participants")
    say(f"1  {here.owner.name} says to people only: {secret!r}")
    question = here.say(QUESTION, "active_agent")
    say(f"2  {here.owner.name} asks {agent}: {QUESTION!r}")
    say(f"3  {agent}'s mailbox, as the agents' own connection reads it, newest last:")
    holes = _mailbox(here, secret)
    say("4  Raw SQL in a process with the agents' settings, environment and connection:")
    holes += _raw(found, here, secret)
    return holes + _answer(found, here, question, secret)


def _mailbox(here: Scene, secret: str) -> list[str]:
    from messaging.mailbox.models import Delivery

    rows = Delivery.objects.using("agents").filter(seat=here.seat.id).order_by("-place")
    for row in reversed(rows[:SHOWN]):
        say(f"     {row.author_name}: {_short(row.text)}")
    inside = rows.filter(text__contains=secret).exists()
    found = "one holds" if inside else "none holds"
    say(f"   Of the {rows.count()} messages in {here.seat.name}'s seat here {found} the secret.")
    return ["the secret lies in the mailbox"] if inside else []


def _raw(found: Environment, here: Scene, secret: str) -> list[str]:
    # The rows of one seat, as many as were counted above: it would be given those of every seat.
    control = f"SELECT text FROM mailbox_delivery WHERE seat_id = '{here.seat.id.hex}'"  # noqa: S608 -- our own id
    tries = [
        f"SELECT text FROM transcript_message WHERE text = '{secret}'",  # noqa: S608 -- our own words, no input
        "SELECT text FROM mailbox_delivery UNION SELECT text FROM transcript_message",
        "SELECT hash FROM roster_token",
    ]
    if found.database["ENGINE"] == addresses.SQLITE:
        tries.append(f"{as_agents.FILE}{found.database['NAME']}")
    answers = _in_their_process(found, [control, *tries])
    for statement, answer in zip([control, *tries], answers, strict=True):
        told = f"refused: {answer['refused']}" if "refused" in answer else f"answered, rows: {answer['rows']}"
        told += f" ({here.seat.name}'s seat here; the control, which is allowed)" if statement == control else ""
        say(f"     {_short(statement)}\n       {told}")
    if "refused" in answers[0]:
        return ["the control was refused, so the refusals say nothing"]
    return [f"{_short(one)} was answered" for one, told in zip(tries, answers[1:], strict=True) if "rows" in told]


def _in_their_process(found: Environment, statements: list[str]) -> list[dict[str, str]]:
    from collab.processes import agents_environment

    done = subprocess.run(  # noqa: S603 -- the command is our own
        [sys.executable, *COMMAND],
        input=json.dumps(statements),
        env=agents_environment.cleaned(os.environ, found.agents_database_url),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    if done.returncode:
        raise Refused("a process with the agents' settings did not start: `earshot check` tells more")
    answers: list[dict[str, str]] = json.loads(done.stdout)
    return answers


def _answer(found: Environment, here: Scene, question: UUID, secret: str) -> list[str]:
    """What the agent says, if somebody is there to let it speak."""
    from collab.processes import prepare
    from messaging.transcript.models import Message

    if found.embedded and prepare.user_of(found.home) is None:
        say("5  Nobody answers, for Earshot is not running; the question waits.")
        return []
    rows = Message.objects.filter(answers=question)
    if not until(rows.exists, SECONDS, every=0.2):
        say(f"5  {here.seat.name} has not answered within {SECONDS:.0f} s; the wall does not need it to.")
        return []
    text = rows.get().text
    end = text if len(text) <= LONGEST_SHOWN else f"… {text[-LONGEST_SHOWN:]}"
    say(f"5  {here.seat.name} answers:\n{textwrap.indent(end, '     ')}")
    say(f"   The secret is {'in it' if secret in text else 'not in it'}.")
    return [f"{here.seat.name} said the secret"] if secret in text else []


def _short(text: str) -> str:
    if text.startswith(as_agents.FILE):
        return f"sqlite3.connect({text.removeprefix(as_agents.FILE)!r})"
    return textwrap.shorten(text, 100, placeholder=" ...")
