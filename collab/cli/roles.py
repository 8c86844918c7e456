"""The processes of an installation, one function each."""

from __future__ import annotations

import os
import socket
import sys
from typing import NoReturn

from collab import environment, logs
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
    _begin(found)
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
    found = _fleet()
    _begin(found)
    _metrics_port(found)
    from collab.processes import deadline, parts
    from collab.processes import worker as house

    running = parts.for_worker()
    house.run(on_stop=deadline.arm)
    running.stop()
    deadline.leave()


def beat() -> None:
    """A beat; of several, one sends each tick."""
    found = _fleet()
    _begin(found)
    _metrics_port(found)
    from collab.processes import beat as clockwork

    clockwork.run(found.redis_url or "")


def agents(placement: str | None = None) -> NoReturn:
    """Hosted agents, in a process that has never held the house's environment. placement: whose queue it serves."""
    named = environment.placement(os.environ if placement is None else {"EARSHOT_PLACEMENT": placement})
    database, redis = environment.of_agents_alone(os.environ) or _beside_the_house()
    from collab.processes import agents_environment

    environ = agents_environment.cleaned(os.environ, database)
    environ |= {"AGENTS_REDIS_URL": redis, "EARSHOT_PLACEMENT": named}
    # The same process under another program: what the system shows of its environment is the cleaned one.
    os.execve(sys.executable, [sys.executable, *agents_environment.QUEUE_COMMAND], environ)  # noqa: S606


def _beside_the_house() -> tuple[str, str]:
    """The agents' addresses from an environment that holds the house's, too."""
    found = _fleet()
    if found.agents_share_redis:
        # It runs all the same, but aloud: what lies there is ids and counters, yet not for agents to change.
        sys.stderr.write(f"earshot: {SHARED_REDIS}\n")
    return found.agents_database_url, found.agents_redis_url or ""


def _fleet() -> Environment:
    found = environment.read(os.environ)
    if found.embedded:
        raise Refused("REDIS_URL is not set: `earshot up` runs everything in one process")
    return found


def _begin(found: Environment) -> None:
    """Set a process of the fleet up; those of one machine count together, in their data folder."""
    from messaging.journal import slots

    os.environ.setdefault(slots.VARIABLE, str(found.home / "metrics"))
    logs.hook()
    django()


def _metrics_port(found: Environment) -> None:
    """Answer Prometheus from a process that serves nothing else, where METRICS_PORT says so."""
    if found.metrics_port is None:
        return
    from collab.processes import metrics_port

    try:
        metrics_port.serve(found.host, found.metrics_port)
    except OSError as error:
        raise Refused(f"METRICS_PORT {found.metrics_port} cannot be taken ({error.strerror})") from None


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
