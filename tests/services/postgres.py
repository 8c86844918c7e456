"""A PostgreSQL cluster that lives as long as a test run, with the two roles of an installation."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

import psutil

from tests.services.child import LOOPBACK, Child, free_port

DEBIAN = Path("/usr/lib/postgresql")
SETTINGS = {"listen_addresses": LOOPBACK, "max_connections": "200", "logging_collector": "off"}
# Nothing outlives a run that never kills this server, so nothing is waited for.
HASTY = {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
# As PostgreSQL is shipped, for tests that kill it; and it keeps the time of each commit.
DURABLE = {"track_commit_timestamp": "on"}
HOUSE, AGENTS = "house", "agents"


def program(name: str) -> Path | None:
    """Find a program of PostgreSQL's server: on the path, or where Debian puts each version."""
    candidates = [*sorted(DEBIAN.glob(f"*/bin/{name}"), reverse=True)]
    found = shutil.which(name)
    if found and Path(found).resolve().parent.joinpath("initdb").exists():
        candidates.insert(0, Path(found))
    return next((path for path in candidates if path.exists()), None)


class Postgres:
    """Started by `start`; `database` makes one and tells its two addresses; ended by `stop`.

    `crash` kills it with no chance to write anything; `serve` starts it again on what it had written.
    """

    def __init__(self, home: Path, settings: Mapping[str, str] = HASTY) -> None:
        self.home = home
        self.settings = SETTINGS | dict(settings)
        self.port = free_port()
        # The server refuses to run as root.
        self.user = "postgres" if os.geteuid() == 0 else None
        self.child: Child | None = None

    def start(self) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        if self.user:
            shutil.chown(self.home, self.user)
            # Temporary folders are made for their owner alone.
            self.home.parent.chmod(0o711)
        words = ("-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N")
        self._run("initdb", "-D", self.home / "data", *words)
        self.serve()
        self.sql(f"CREATE ROLE {HOUSE} LOGIN CREATEDB CREATEROLE; CREATE ROLE {AGENTS} LOGIN")

    def serve(self) -> None:
        """Start on the data folder as it is."""
        options = [word for name, value in self.settings.items() for word in ("-c", f"{name}={value}")]
        self.child = Child(
            [self._program("postgres"), "-D", self.home / "data", "-p", str(self.port), "-k", self.home, *options],
            self.home / "postgres.log",
            user=self.user,
            folder=self.home,
        )
        self.child.wait_until(self._ready, "PostgreSQL")

    def crash(self) -> None:
        """Kill the server with all its processes: each leads a session of its own, so no group holds them."""
        if self.child:
            backends = psutil.Process(self.child.pid).children(recursive=True)
            self.child.kill()
            for backend in backends:
                with contextlib.suppress(psutil.NoSuchProcess):
                    backend.kill()
            psutil.wait_procs(backends, timeout=10)

    def database(self, name: str) -> tuple[str, str]:
        """Make a database and return the addresses by which house and agents reach it."""
        self.sql(f"CREATE DATABASE {name} OWNER {HOUSE}")
        where = f"{LOOPBACK}:{self.port}/{name}"
        return f"postgresql://{HOUSE}@{where}", f"postgresql://{AGENTS}@{where}"

    def sql(self, text: str, database: str = "postgres") -> str:
        """Run statements as the cluster's superuser."""
        where = ["-h", LOOPBACK, "-p", str(self.port), "-U", "postgres", "-d", database]
        words = ["psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", *where]
        done = subprocess.run(words, input=text, text=True, capture_output=True, check=False)
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout.strip()

    def stop(self) -> None:
        if self.child:
            self.child.stop(signal.SIGINT)
            self.child = None

    def _ready(self) -> bool:
        words = [self._program("pg_isready"), "-q", "-h", LOOPBACK, "-p", str(self.port)]
        return subprocess.run([str(word) for word in words], check=False).returncode == 0

    def _run(self, name: str, *words: str | Path) -> None:
        done = subprocess.run(
            [str(self._program(name)), *map(str, words)],
            cwd=self.home,
            user=self.user,
            group=self.user,
            extra_groups=[] if self.user else None,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(done.stderr)

    def _program(self, name: str) -> Path:
        found = program(name)
        if found is None:
            raise FileNotFoundError(name)
        return found
