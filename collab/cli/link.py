"""`earshot link HANDLE`: lets a person in, by a link that signs in once."""

from __future__ import annotations

import argparse

from collab.cli import links, opened
from collab.cli.asking import say
from collab.cli.main import Refused


def run(chosen: argparse.Namespace) -> None:
    """Print a fresh link for that person; refuse where nobody could sign in by it."""
    found = opened.installation()
    with opened.answering():
        _may_sign_in(chosen.handle)
        say(links.link_for(found.address, chosen.handle))


def _may_sign_in(handle: str) -> None:
    """Raises Refused for whom a link would not let in."""
    from messaging.domain.handle import is_handle
    from messaging.roster.models import Person

    rows = Person.objects.filter(handle__spelled=handle).select_related("account")
    # What no database could even look for is nobody's handle, too.
    person = rows.first() if is_handle(handle) else None
    if person is None:
        raise Refused(f"{handle!r} is no person here; add_person adds people")
    if person.account is None or not person.account.is_active:
        raise Refused(f"{handle} has no account that may sign in")
