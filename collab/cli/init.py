"""`earshot init`: an installation of one's own, without the demo."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from collab import addresses, environment
from collab.cli import links, opened
from collab.cli.asking import ask, say
from collab.cli.main import Refused
from collab.cli.owner import in_words, owner_handle, owner_words
from collab.cli.roles import django
from collab.environment import Environment

if TYPE_CHECKING:
    from messaging.roster.models import Session

NEXT = """
  {handle} owns this installation, and the session {slug} is open.
  Sign in once   {link}
  {start}
"""
START = "Start it       earshot up"
START_FLEET = "Start it       earshot web, worker, agents and beat"
OWNED = "{owner} owns this installation already: `earshot link {owner}` prints a sign-in link"
DEMO = "this is the demo, owned by {owner}: `earshot demo leave` makes it your own"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the installation is to begin with."""

    handle: str
    name: str
    email: str
    title: str


def run(chosen: argparse.Namespace) -> None:
    """Make the tables, the owner and a first session; refuse where somebody owns it already."""
    found = environment.read(os.environ)
    django()
    with opened.answering():
        if found.embedded and _empty(found):
            # Whatever cannot be taken is refused before there is a file or a table.
            wanted = _checked(_wanted(chosen, new=True))
            _tables(found)
        else:
            _tables(found)
            _unowned()
            wanted = _wanted(chosen)
        session = _founded(wanted)
        link = links.link_for_owner(found.address)
    start = START if found.embedded else START_FLEET
    say(NEXT.format(handle=wanted.handle, slug=session.slug, link=link, start=start))


def _empty(found: Environment) -> bool:
    """Whether there is nothing yet; to ask SQLite for a file that is not there would make it."""
    if found.database["ENGINE"] == addresses.SQLITE and not Path(found.database["NAME"]).is_file():
        return True
    from django.db import connection

    return not connection.introspection.table_names()


def _wanted(chosen: argparse.Namespace, *, new: bool = False) -> Wanted:
    """As said on the command line, in the configuration or at the terminal. Raises Refused or Misused."""
    handle = owner_handle(chosen, "--handle")
    name, email = owner_words(chosen, handle, new=new)
    title = chosen.session or ("Home" if chosen.yes else ask("First session", "--session", default="Home"))
    return Wanted(handle, name, email, title)


def _checked(wanted: Wanted) -> Wanted:
    from django.core.exceptions import ValidationError

    from messaging.actions import found

    try:
        found.check(wanted.handle, name=wanted.name, email=wanted.email, title=wanted.title)
    except ValidationError as refusal:
        raise Refused(in_words(wanted.handle, refusal)) from None
    return wanted


def _tables(found: Environment) -> None:
    """In one process the tables are made here; a fleet's are made by hand, once for all its processes."""
    if not found.embedded:
        opened.must_be_migrated()
        return
    from collab.processes import prepare, schema

    if not schema.pending():
        return
    try:
        with prepare.sole_user(found.home, "init"):
            prepare.tables()
    except prepare.AlreadyRunning as refusal:
        raise Refused(str(refusal)) from None


def _unowned() -> None:
    from messaging.actions import leave_demo
    from messaging.roster.models import Installation

    owner = Installation.the().owner
    if owner is not None:
        words = DEMO if owner.handle.spelled in leave_demo.CAST and leave_demo.plan() else OWNED
        raise Refused(words.format(owner=owner.handle.spelled))


def _founded(wanted: Wanted) -> Session:
    from django.core.exceptions import ValidationError

    from messaging.actions.enrol import Taken
    from messaging.actions.found import Owned, found

    try:
        return found(wanted.handle, name=wanted.name, email=wanted.email, title=wanted.title)
    except Owned as refusal:
        raise Refused(OWNED.format(owner=refusal.owner)) from None
    except (Taken, ValidationError) as refusal:
        raise Refused(in_words(wanted.handle, refusal)) from None
