"""Earshot itself, as people start it: one process, or a fleet."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.services.child import LOOPBACK, Child, free_port

PROGRAM = Path(sys.executable).with_name("earshot")
MANAGE = Path(__file__).resolve().parents[2] / "manage.py"
LINK = re.compile(r"http://\S+/sign-in/\S+")
# What a test run sets for itself must not reach the installation that it starts.
KEPT = ("PATH", "HOME", "LANG", "TZ", "TMPDIR", "VIRTUAL_ENV")
# What a web server gathers at its first start, two seconds of a core, is the same for all that a run starts: the stamp
# says of what, and who finds another one gathers anew.
GATHERED = ("static.stamp", "static")
_gathered: list[Path] = []


class Installation:
    """A data folder, a port, and the processes that a test started on them."""

    def __init__(self, home: Path, environ: Mapping[str, str] | None = None) -> None:
        self.home = home
        self.port = free_port()
        home.mkdir(parents=True, exist_ok=True)
        self.environ = {name: os.environ[name] for name in KEPT if name in os.environ}
        self.environ |= {"EARSHOT_HOME": str(home), "PORT": str(self.port), **(environ or {})}
        self.children: dict[str, Child] = {}

    def unhurried(self) -> Installation:
        """Let everybody ask as often as they like. Tests that share a database ask in the same names, and would wait
        for each other by the minute; the limit itself has its tests where time stands still.
        """
        file = self.home / "limits.toml"
        file.write_text("[limits]\nagent_inputs_per_minute = 1000\n")
        self.environ["EARSHOT_CONFIG"] = str(file)
        return self

    @property
    def address(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    def start(self, role: str, **more: str) -> Child:
        """Start a process of that role."""
        if role in ("web", "up"):
            self._lay_static()
        name = f"{role}-{len(self.children)}"
        child = Child([PROGRAM, role], self.home / f"{name}.log", self.environ | more)
        self.children[name] = child
        return child

    def up(self) -> Child:
        """Start everything in one process and wait until it answers."""
        child = self.start("up")
        self.wait_ready(child)
        return child

    def fleet(self) -> dict[str, Child]:
        """Start one process of each role and wait until the web server answers."""
        self.manage("migrate", "--verbosity", "0")
        self.manage("seed_demo")
        started = {role: self.start(role) for role in ("web", "worker", "agents", "beat")}
        self.wait_ready(started["web"])
        return started

    def wait_ready(self, child: Child, patience: float = 60.0) -> None:
        child.wait_until(lambda: self.status("/readyz") == 200, "the first answer", patience)
        if not _gathered and all((self.home / name).exists() for name in GATHERED):
            _gathered.append(self.home)

    def _lay_static(self) -> None:
        """Copy what an earlier one has gathered, if there is any; the stamp last, as who gathers does."""
        if not _gathered or any((self.home / name).exists() for name in GATHERED):
            return
        stamp, static = (_gathered[0] / name for name in GATHERED)
        if stamp.exists():
            shutil.copytree(static, self.home / static.name)
            shutil.copy(stamp, self.home)

    def status(self, path: str) -> int:
        """Return how the server answers, or 0 when it does not."""
        try:
            with urllib.request.urlopen(self.address + path, timeout=2) as answer:  # noqa: S310
                return int(answer.status)
        except urllib.error.HTTPError as refusal:
            return int(refusal.code)
        except OSError:
            return 0

    def link(self) -> str:
        """Return the newest sign-in link that a start has printed."""
        newest = list(self.children.values())[-1]
        newest.wait_until(lambda: LINK.search(newest.output()) is not None, "the sign-in link")
        return str(LINK.findall(newest.output())[-1])

    def tokens(self) -> dict[str, Any]:
        """Reissue the demo cast's tokens; return what the command writes."""
        path = self.home / "tokens.json"
        self.manage("seed_demo", "--tokens", str(path))
        found: dict[str, Any] = json.loads(path.read_text())
        return found

    def manage(self, *words: str) -> str:
        """Run one of Django's commands on this installation."""
        done = subprocess.run(
            [sys.executable, str(MANAGE), *words],
            env=self.environ,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(done.stderr[-3000:])
        return done.stdout

    def stop(self) -> None:
        """End every process, all at the same time."""
        for child in self.children.values():
            if child.running():
                os.kill(child.pid, signal.SIGTERM)
        end = time.monotonic() + 8
        for child in self.children.values():
            child.stop(patience=max(0.1, end - time.monotonic()))
