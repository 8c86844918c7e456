"""The processes of an installation, one function each."""

from __future__ import annotations

import os
import socket
import sys
from typing import NoReturn

from collab import environment
from collab.cli.main import Refused
from collab.environment import Environment

SHARED_REDIS = (
    "AGENTS_REDIS_URL names no Redis user of the agents' own: they reach every key that REDIS_URL reaches. "
    "Give them a user with rights on agents:* alone"
)


def up() -> None:
    """Everything in one process."""
    found = environment.read(os.environ)
    if not found.embedded:
        raise Refused("REDIS_URL is set: start `earshot web`, `worker`, `agents` and `beat`, or unset it")
    from collab.cli import embedded

    embedded.run(found)


def web() -> None:
    """A web server of the fleet."""
    found = _fleet()
    number = _concurrency()
    django()
    from collab.processes import prepare
    from collab.processes import web as server

    prepare.static()
    listening = bind(found)
    if number == 1:
        server.serve(found, listening, lambda: None)
    else:
        server.serve_many(found, listening, number)


def worker() -> None:
    """A worker of the house."""
    _fleet()
    django()
    from collab.processes import deadline, parts
    from collab.processes import worker as house

    running = parts.for_worker()
    house.run(on_stop=deadline.arm)
    running.stop()
    deadline.leave()


def beat() -> None:
    """A beat; of several, one sends each tick."""
    found = _fleet()
    django()
    from collab.processes import beat as clockwork

    clockwork.run(found.redis_url or "")


def agents() -> NoReturn:
    """Hosted agents, in a process that has never held the house's environment."""
    found = _fleet()
    if found.agents_share_redis:
        # It runs all the same, but aloud: what lies there is ids and counters, yet not for agents to change.
        sys.stderr.write(f"earshot: {SHARED_REDIS}\n")
    from collab.processes import agents_environment

    environ = agents_environment.cleaned(os.environ, found.agents_database_url)
    environ["AGENTS_REDIS_URL"] = found.agents_redis_url or ""
    # The same process under another program: what the system shows of its environment is the cleaned one.
    os.execve(sys.executable, [sys.executable, *agents_environment.QUEUE_COMMAND], environ)  # noqa: S606


def _fleet() -> Environment:
    found = environment.read(os.environ)
    if found.embedded:
        raise Refused("REDIS_URL is not set: `earshot up` runs everything in one process")
    return found


def django() -> None:
    """Set Django up for the house."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "collab.settings.house")
    from django import setup

    setup()


def _concurrency() -> int:
    text = os.environ.get("WEB_CONCURRENCY") or "1"
    if not text.isdigit() or int(text) < 1:
        raise environment.UnsafeSetting("WEB_CONCURRENCY", "must be a whole number of at least 1")
    return int(text)


def bind(found: Environment) -> socket.socket:
    """Take the port, or refuse with words."""
    from collab.processes import web as server

    try:
        return server.bind(found)
    except OSError as error:
        raise Refused(f"{found.host}:{found.port} cannot be taken ({error.strerror}); PORT chooses another") from None
