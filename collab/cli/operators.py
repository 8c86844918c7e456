"""The grammar of the operators' commands. Each loads what it needs once it is called, and not before."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 -- it has no public name

LINK = "print a fresh sign-in link for a person, good once and for 15 minutes"
INIT = "begin an installation of your own, without the demo: its owner, a first session, a sign-in link"
STATUS = "tell which processes live, what waits and which turns run; 1 where something is missing"
CHECK = "check settings, database, roles, Redis, address and mail; --fix mends what it may"
MOVE = "copy an installation from SQLite to an empty PostgreSQL database, and compare every row"
LEAVE = "name an owner of your own, and take the demo's people, tokens and session out of use"
KEY = "keep a model's key in the system's keyring"
KEY_SET = "keep a key there, typed without an echo or piped in, under a name that ends in _api_key"
KEY_UNSET = "take a key out of it"
MANAGE = "run one of Django's commands for the house: migrate, seed_demo, add_person, issue_token, changepassword ..."
WALL = "show on this installation that an agent cannot read what people say to people"
CRASH = "kill the agents' process in mid-answer, and show attempt 2 and a single answer"


def add(commands: Commands) -> None:
    """Add every operators' command to the command line."""
    _command(commands, "link", LINK).add_argument("handle", metavar="HANDLE")
    init = _command(commands, "init", INIT)
    _owner(init, "--handle")
    init.add_argument("--session", metavar="TITLE", help="what the first session is called; Home if not said")
    _yes(init, "ask nothing, take what is not said from its default")
    _command(commands, "status", STATUS).add_argument("--json", action="store_true", help="one JSON object")
    check = _command(commands, "check", CHECK)
    check.add_argument("--fix", action="store_true", help="make or mend the agents' database role and Redis user")
    check.add_argument("--mail", metavar="ADDRESS", help="send a test mail there")
    move = _command(commands, "move", MOVE)
    move.add_argument("--to", metavar="DATABASE_URL", required=True, help="postgresql://user:password@host/name")
    move.add_argument("--agents-to", metavar="AGENTS_DATABASE_URL", help="the same by the agents' role")
    _key(commands)
    manage = _command(commands, "manage", MANAGE)
    manage.add_argument("words", nargs=argparse.REMAINDER, metavar="...", help="a command of Django's, and its options")
    _demo(commands)


def _key(commands: Commands) -> None:
    parts = commands.add_parser("key", help=KEY, description=KEY).add_subparsers(
        dest="deed", required=True, metavar="set|unset"
    )
    for name, words in (("set", KEY_SET), ("unset", KEY_UNSET)):
        _command(parts, name, words, "key").add_argument("name", metavar="NAME")


def _demo(commands: Commands) -> None:
    words = "what is promised, shown on this installation; and the way out of the demo"
    parts = commands.add_parser("demo", help=words, description=words).add_subparsers(
        dest="part", required=True, metavar="leave|wall|crash"
    )
    leave = _command(parts, "leave", LEAVE, "demo_leave")
    _owner(leave, "--owner")
    _yes(leave, "do it without asking")
    for name, words in (("wall", WALL), ("crash", CRASH)):
        shown = _command(parts, name, words, f"demo_{name}")
        shown.add_argument("--session", metavar="SLUG", default="welcome", help="where; welcome if not said")
        if name == "crash":
            _yes(shown, "kill without asking")


def _command(commands: Commands, name: str, words: str, module: str = "") -> argparse.ArgumentParser:
    made = commands.add_parser(name, help=words, description=f"{words[0].upper()}{words[1:]}.")
    made.set_defaults(run=_starter(module or name))
    return made


def _starter(module: str) -> Callable[[argparse.Namespace], None]:
    def start(chosen: argparse.Namespace) -> None:
        import_module(f"collab.cli.{module}").run(chosen)

    return start


def _owner(command: argparse.ArgumentParser, name: str) -> None:
    command.add_argument(name, dest="handle", metavar="HANDLE", help="the owner: letters, digits, _ and -, for life")
    command.add_argument("--name", help="the name that others see")
    command.add_argument("--email", metavar="ADDRESS")


def _yes(command: argparse.ArgumentParser, words: str) -> None:
    command.add_argument("--yes", action="store_true", help=words)
