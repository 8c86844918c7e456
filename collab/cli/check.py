"""`earshot check`: is everything as it should be, and if not, what to do."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable, Iterator

from collab import environment
from collab.cli import opened
from collab.cli.asking import say
from collab.cli.checks.limits import limits
from collab.cli.checks.line import Line, bad, failed, ok
from collab.cli.main import Refused
from collab.cli.roles import django
from collab.environment import Environment

#: Seconds in which the agents' role is mended, if it can be.
MENDING = 30.0


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
    yield from limits(found)
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


def _data(found: Environment, *, fix: bool) -> Iterator[Line]:
    """The database and, if it answers and has its tables, what is in them. Raises TimeoutError for what hangs."""
    from collab.cli.checks.agents_role import agents_role
    from collab.cli.checks.database import database, migrations, owner
    from collab.cli.checks.models import models
    from collab.processes.patience import WITHIN, within

    for look in (database, migrations):
        line = within(WITHIN, look)
        yield line
        if bad([line]):
            return
    yield within(WITHIN, lambda: owner(found))
    # To mend is no question: grants may wait for others to let go of their tables.
    yield from within(MENDING if fix else WITHIN, lambda: agents_role(fix=fix))
    yield from within(WITHIN, models)


def _guarded(what: str, look: Callable[[], Iterable[Line]]) -> Iterator[Line]:
    """A check that breaks is one that failed; what broke it may quote a value, so its type is told alone."""
    try:
        yield from look()
    except TimeoutError as late:
        yield failed(what, f"the {what} {late}: see whether it runs")
    except Exception as error:  # noqa: BLE001 -- the other checks are still to be made
        yield failed(what, f"could not be looked at ({type(error).__name__})")
