"""`earshot demo leave`: from the demo to an installation of one's own."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from collab.cli import links, opened
from collab.cli.asking import agreed, say
from collab.cli.main import Refused
from collab.cli.owner import in_words, owner_handle, owner_words

if TYPE_CHECKING:
    from messaging.actions.leave_demo import Leaving

PLAN = """Leaving the demo means:
  {handle} owns the installation, with the back office
  {people} cannot sign in any more
  tokens of the demo that are revoked: {tokens}
  the session welcome is closed
{orphans}  unless {handle} is in another session already, one is opened: Home, with mirror
Nothing is deleted: what was said is kept, and mirror and scout stay for sessions of your own."""
ORPHANS = "  {handle} joins as owner, since nobody else owns them: {slugs}\n"


def run(chosen: argparse.Namespace) -> None:
    """Say what will happen, ask, and do it."""
    found = opened.installation()
    from messaging.actions import leave_demo

    with opened.answering():
        leaving = leave_demo.plan()
        if leaving is None:
            raise Refused("there is no demo here, or it has been left already")
        handle = owner_handle(chosen, "--owner")
        if handle in leaving.people:
            raise Refused(f"{handle} belongs to the demo: name an owner of your own")
        name, email = owner_words(chosen, handle)
        say(_words(handle, leaving))
        if not chosen.yes:
            agreed("Go on?")
        _leave(handle, name, email)
        say(f"Done. Sign in once   {links.link_for(found.address, handle)}")


def _words(handle: str, leaving: Leaving) -> str:
    orphans = ORPHANS.format(handle=handle, slugs=", ".join(leaving.orphans)) if leaving.orphans else ""
    people = ", ".join(leaving.people)
    return PLAN.format(handle=handle, people=people, tokens=leaving.tokens, orphans=orphans)


def _leave(handle: str, name: str, email: str) -> None:
    from django.core.exceptions import ValidationError

    from messaging.actions.enrol import Taken
    from messaging.actions.leave_demo import leave_demo

    try:
        leave_demo(handle, name=name, email=email)
    except (Taken, ValidationError) as refusal:
        raise Refused(in_words(handle, refusal)) from None
