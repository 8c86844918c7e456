"""Read the command line, call what it names, answer with an exit code."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version

from collab.cli import operators
from collab.environment import UnsafeSetting

REFUSED = 1
MISUSED = 2


class Refused(Exception):
    """The command could not be done; its words are for the person who gave it."""

    code = REFUSED


class Misused(Refused):
    """The command was not given what it needs."""

    code = MISUSED


def _role(name: str) -> Callable[[argparse.Namespace], None]:
    def start(chosen: argparse.Namespace) -> None:
        from collab.cli import roles

        options = {"placement": chosen.placement} if name == "agents" else {}
        getattr(roles, name)(**options)

    return start


ROLES = {
    "up": "run everything in one process, with SQLite and without Redis unless told otherwise",
    "web": "serve pages, API and sockets (WEB_CONCURRENCY processes)",
    "worker": "do the house's background work",
    "agents": "run hosted agents, apart from the house's secrets",
    "beat": "wake periodic work; several may run",
}
PLACEMENT = "run those alone that are placed there, in place of those that have no placement (EARSHOT_PLACEMENT)"


def parser() -> argparse.ArgumentParser:
    """Return the grammar of the command line."""
    top = argparse.ArgumentParser(prog="earshot", description="People and agents in shared sessions.")
    top.add_argument("--version", action="version", version=f"earshot {version('earshot')}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, words in ROLES.items():
        command = commands.add_parser(name, help=words, description=words)
        command.set_defaults(run=_role(name))
        if name == "agents":
            command.add_argument("--placement", metavar="NAME", help=PLACEMENT)
    operators.add(commands)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command: 0 done, 1 refused in one line, 2 not understood."""
    chosen = parser().parse_args(arguments)
    try:
        chosen.run(chosen)
    except (Refused, UnsafeSetting) as refusal:
        print(f"earshot: {refusal}", file=sys.stderr)  # noqa: T201 — a command speaks on its output
        return refusal.code if isinstance(refusal, Refused) else REFUSED
    return 0
