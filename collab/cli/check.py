"""`earshot check`: is everything as it should be, and if not, what to do."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator

from collab import environment
from collab.cli import opened
from collab.cli.asking import say
from collab.cli.checks.line import Line, bad, failed, ok
from collab.cli.main import Refused
from collab.cli.roles import django
from collab.environment import Environment


def run(chosen: argparse.Namespace) -> None:
    """Print a line for each thing as it is looked at; refuse at the end where one of them failed."""
    seen = []
    for line in _lines(chosen):
        say(str(line))
        seen.append(line)
    if wrong := bad(seen):
        raise Refused(f"{len(wrong)} of {len(seen)} checks failed: {', '.join(dict.fromkeys(wrong))}")


def _lines(chosen: argparse.Namespace) -> Iterator[Line]:
    try:
        found = environment.read(os.environ)
    except environment.UnsafeSetting as unsafe:
        yield failed("settings", str(unsafe))
        return
    yield ok("settings", "known and safe; " + ("one process" if found.embedded else "a fleet"))
    try:
        opened.must_be_there(found)
    except Refused as refusal:
        yield failed("database", str(refusal))
        return
    django()
    yield from _house(found, fix=chosen.fix)
    yield from _guarded("database", lambda: _data(found, fix=chosen.fix))
    from collab.cli.checks.agents_redis import agents_redis
    from collab.cli.checks.mail import mail

    yield from _guarded("redis", lambda: agents_redis(found, fix=chosen.fix))
    yield from _guarded("mail", lambda: [mail(found, chosen.mail)])


def _house(found: Environment, *, fix: bool) -> Iterator[Line]:
    from collab.cli.checks.address import address, secret_key

    yield from secret_key(found, fix=fix)
    yield address(found)


def _data(found: Environment, *, fix: bool) -> list[Line]:
    """The database and, if it answers and has its tables, what is in them."""
    from collab.cli.checks.agents_role import agents_role
    from collab.cli.checks.database import database, migrations, owner
    from collab.cli.checks.models import models

    lines = [database()]
    if not bad(lines):
        lines.append(migrations())
    if not bad(lines):
        lines += [owner(found), *agents_role(fix=fix), *models()]
    return lines


def _guarded(what: str, look: Callable[[], list[Line]]) -> list[Line]:
    """A check that breaks is one that failed; what broke it may quote a value, so its type is told alone."""
    try:
        return look()
    except Exception as error:  # noqa: BLE001 -- the other checks are still to be made
        return [failed(what, f"could not be looked at ({type(error).__name__})")]
