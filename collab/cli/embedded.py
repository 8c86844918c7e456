"""`earshot up`: prepare, serve, and say where."""

from __future__ import annotations

import os

from collab import logs
from collab.cli import links
from collab.cli.main import Refused
from collab.cli.roles import bind, django
from collab.environment import Environment


def run(found: Environment) -> None:
    """Serve everything from this process until a signal ends it."""
    listening = bind(found)
    logs.hook()
    django()
    from collab.processes import prepare, web

    try:
        with prepare.sole_user(found.home):
            prepare.tables()
            prepare.static()
            prepare.demo()
            link = links.link_for_owner(found.address)
            web.serve(found, listening, lambda: greet(found.address, link))
    except prepare.AlreadyRunning as refusal:
        raise Refused(str(refusal)) from None


def greet(address: str, link: str | None) -> None:
    """Tell where Earshot is, and how its owner gets in, if it has one who can."""
    lines = (
        "",
        f"  Earshot is at  {address}",
        f"  Sign in once   {link}" if link else "  No sign-in link: this installation has no owner who could use it.",
        "",
        "  Ctrl-C stops it.",
        "",
    )
    # Past Python's buffer, because whoever waits for these lines may be at the other end of a pipe.
    os.write(1, "\n".join(lines).encode())
