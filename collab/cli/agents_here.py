"""The processes of hosted agents on this machine, for the one demonstration that kills them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress

from collab.cli.asking import say, until
from collab.cli.main import Refused
from collab.environment import Environment
from collab.processes import agents_environment, kin, prepare, presence
from messaging.mailbox import alive
from messaging.mailbox.alive import Alive

SECONDS = 30.0
#: How their command lines begin, after the interpreter: as the house's child, and as a fleet's process.
CHILD = "-m messaging.agents"
QUEUE = " ".join(agents_environment.QUEUE_COMMAND)
#: In a container the first process may be ours; yet whoever kills that one ends everything in it.
FIRST = 1


class AgentsHere:
    """Their numbers, how to kill them, and a way to have another one where nobody else starts it again."""

    def __init__(self, found: Environment) -> None:
        self._found = found
        self._own: list[subprocess.Popen[bytes]] = []
        self._killed: list[int] = []
        self.pids: list[int] = []

    def replace(self) -> None:
        """In a fleet start one of our own, for this command does not know whether somebody else will."""
        if self._found.embedded:
            return
        environ = agents_environment.cleaned(os.environ, self._found.agents_database_url)
        environ["AGENTS_REDIS_URL"] = self._found.agents_redis_url or ""
        quiet = subprocess.DEVNULL
        words = [sys.executable, *agents_environment.QUEUE_COMMAND]
        own = subprocess.Popen(words, env=environ, stdin=quiet, stdout=quiet, stderr=quiet)  # noqa: S603 -- our own
        self._own.append(own)
        say(f"   started a process of agents for the time of this demonstration: {own.pid}")

    def kill(self) -> None:
        """Kill them. Raises Refused where none is there any more, or where they are another user's."""
        # Time has passed, and a number may be somebody else's by now.
        self.pids = _true(self.pids, CHILD if self._found.embedded else QUEUE)
        for pid in self.pids:
            try:
                os.kill(pid, signal.SIGKILL)
                self._killed.append(pid)
            except ProcessLookupError:
                continue
            except PermissionError:
                raise Refused(f"process {pid} is another user's: run this as that user") from None
        if not self.pids:
            raise Refused("the agents' process has ended by itself meanwhile: try again")

    def farewell(self) -> None:
        """Say who answers from now on: in a fleet the killed stay dead unless somebody else starts them again."""
        if self._found.embedded or not self._killed:
            return
        gone = {*self._killed, *(own.pid for own in self._own)}
        there = _true({one.pid for one in self.said()} - gone, QUEUE)
        if there:
            say(f"\nAgents have been started again: {', '.join(map(str, sorted(there)))}.")
            return
        say(f"\nNo agents run now: {', '.join(map(str, self._killed))} was killed, and what stood in for it has ended.")
        say("Questions wait until you start them again: `earshot agents`, or the service that ran it.")

    def said(self) -> list[Alive]:
        """What agents say of themselves in Redis. It is theirs to write, so it may be anything."""
        server = alive.client(self._found.redis_url or "")
        return [one for one in presence.report(server) if one.role == presence.AGENTS]

    def stop(self) -> None:
        """End what was started here."""
        for own in self._own:
            own.terminate()
            try:
                own.wait(6)
            except subprocess.TimeoutExpired:
                own.kill()


@contextmanager
def agents_here(found: Environment) -> Iterator[AgentsHere]:
    """The agents that run on this machine. Raises Refused where none does or where others run elsewhere."""
    import redis

    here = AgentsHere(found)
    try:
        here.pids = _embedded(found) if found.embedded else _fleet(here)
        yield here
    finally:
        here.stop()
        with suppress(redis.RedisError):
            here.farewell()


def _embedded(found: Environment) -> list[int]:
    house = prepare.user_of(found.home)
    if house is None:
        raise Refused(f"Earshot does not run on {found.home}: start `earshot up` at another terminal first")
    pids = kin.children(house.pid, CHILD)
    if house.host != alive.this_host() or not pids:
        raise Refused(f"the agents' process of {house.pid} on {house.host} is not to be seen from here")
    return pids


def _fleet(here: AgentsHere) -> list[int]:
    import redis

    try:
        if not here.said():
            here.replace()
            until(lambda: bool(here.said()), SECONDS)
        there = here.said()
    except redis.RedisError as error:
        raise Refused(f"Redis does not answer ({type(error).__name__}): see REDIS_URL") from None
    elsewhere = sorted({one.host for one in there} - {alive.this_host()})
    if elsewhere:
        raise Refused(f"agents run on {', '.join(elsewhere[:3])} too, where this cannot kill them: stop those first")
    if not there:
        raise Refused(f"no process of agents came up within {SECONDS:.0f} s: `earshot check` tells more")
    pids = _true([one.pid for one in there], QUEUE)
    if not pids:
        raise Refused("nothing that calls itself agents in Redis is a process of agents here: see `earshot status`")
    return pids


def _true(pids: Collection[int], words: str) -> list[int]:
    """Those that are processes of agents by what the system says, whatever they say of themselves."""
    return [pid for pid in kin.among(pids, words) if pid > FIRST]
