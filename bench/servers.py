"""Folders, ports and child processes for one bench run.

Everything is started under one home folder (option --home) with fresh data,
listens on the loopback address only, and is ended by its own process id.
"""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

import psutil

LOOPBACK = "127.0.0.1"


def free_port() -> int:
    with socket.socket() as s:
        s.bind((LOOPBACK, 0))
        return s.getsockname()[1]


def pg_bin(name: str) -> str:
    """A PostgreSQL program: $PG_BIN, then PATH, then Debian's folders."""
    if os.environ.get("PG_BIN"):
        return str(Path(os.environ["PG_BIN"]) / name)
    found = shutil.which(name)
    if found:
        return found
    root = Path("/usr/lib/postgresql")
    for d in sorted(root.glob("*/bin"), reverse=True) if root.exists() else ():
        if (d / name).exists():
            return str(d / name)
    raise FileNotFoundError(f"{name}: set PG_BIN to PostgreSQL's bin folder")


class Child:
    """A process in its own session, ended by its id with all its children."""

    def __init__(self, args, log: Path, env=None, cwd=None, user=None):
        self.log = log
        full = dict(os.environ)
        full.update(env or {})
        kw = {}
        if user and os.geteuid() == 0:
            kw = dict(user=user, group=pwd.getpwnam(user).pw_gid, extra_groups=[])
            full["HOME"] = str(log.parent)
        with open(log, "ab") as out:
            self.proc = subprocess.Popen(
                [str(a) for a in args],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                env=full,
                cwd=cwd,
                start_new_session=True,
                **kw,
            )

    @property
    def pid(self) -> int:
        return self.proc.pid

    def stop(self, sig=signal.SIGTERM, wait: float = 15):
        try:
            tree = psutil.Process(self.pid).children(recursive=True)
        except psutil.NoSuchProcess:
            tree = []
        if self.proc.poll() is None:
            self.proc.send_signal(sig)
            try:
                self.proc.wait(wait)
            except subprocess.TimeoutExpired:
                self.proc.kill()
                self.proc.wait(5)
        for p in tree:
            try:
                p.kill()
            except psutil.NoSuchProcess:
                pass


async def wait_port(port: int, child: Child | None = None, timeout: float = 90):
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        if child and child.proc.poll() is not None:
            tail = child.log.read_bytes()[-1500:].decode(errors="replace")
            raise RuntimeError(f"server ended early:\n{tail}")
        try:
            _, w = await asyncio.open_connection(LOOPBACK, port)
            w.close()
            return
        except OSError:
            await asyncio.sleep(0.2)
    raise TimeoutError(f"nothing listens on port {port}")


class Postgres:
    """One throwaway cluster; stock settings but for the few set below.

    fsync, synchronous_commit and full_page_writes keep their defaults (on):
    each acknowledged commit is on disk.
    """

    SETTINGS = {
        "listen_addresses": LOOPBACK,
        "max_connections": "300",
        "shared_buffers": "1GB",
        "max_wal_size": "4GB",
        "logging_collector": "off",
    }

    def __init__(self, home: Path):
        self.home, self.port = home, free_port()
        self.user = "postgres" if os.geteuid() == 0 else None
        self.child: Child | None = None
        self.databases = 0

    def start(self):
        self.home.mkdir(parents=True, exist_ok=True)
        data = self.home / "data"
        shutil.rmtree(data, ignore_errors=True)
        if self.user:
            shutil.chown(self.home, self.user)
        run = dict(cwd=self.home)
        if self.user:
            run.update(user=self.user)
        subprocess.run(
            [pg_bin("initdb"), "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"],
            check=True,
            stdout=subprocess.DEVNULL,
            **run,
        )
        args = [pg_bin("postgres"), "-D", data, "-p", self.port, "-k", self.home]
        for k, v in self.SETTINGS.items():
            args += ["-c", f"{k}={v}"]
        self.child = Child(args, self.home / "postgres.log", user=self.user)
        end = time.monotonic() + 30
        while subprocess.run([pg_bin("pg_isready"), "-q", "-h", LOOPBACK, "-p", str(self.port)]).returncode:
            if time.monotonic() > end:
                raise TimeoutError("postgres did not start")
            time.sleep(0.1)

    def sql(self, db: str, text: str) -> str:
        out = subprocess.run(
            [
                pg_bin("psql"),
                "-X",
                "-q",
                "-A",
                "-t",
                "-v",
                "ON_ERROR_STOP=1",
                "-h",
                LOOPBACK,
                "-p",
                str(self.port),
                "-U",
                "postgres",
                db,
            ],
            input=text,
            text=True,
            capture_output=True,
        )
        if out.returncode:
            raise RuntimeError(out.stderr)
        return out.stdout.strip()

    def database(self, prefix: str) -> str:
        self.databases += 1
        name = f"{prefix}_{self.databases}"
        self.sql(
            "postgres", f"CREATE DATABASE \"{name}\" TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'"
        )
        return name

    def pids(self):
        return [self.child.pid] if self.child else []

    def stop(self):
        if self.child:
            self.child.stop(signal.SIGINT)
            self.child = None


class Redis:
    def __init__(self, home: Path):
        self.home, self.port = home, free_port()
        self.child: Child | None = None

    async def start(self):
        self.home.mkdir(parents=True, exist_ok=True)
        exe = os.environ.get("REDIS_SERVER") or shutil.which("redis-server")
        if not exe:
            raise FileNotFoundError("redis-server: install it or set REDIS_SERVER")
        self.child = Child(
            [exe, "--port", self.port, "--bind", LOOPBACK, "--save", "", "--appendonly", "no", "--dir", self.home],
            self.home / "redis.log",
        )
        await wait_port(self.port, self.child)

    def pids(self):
        return [self.child.pid] if self.child else []

    def stop(self):
        if self.child:
            self.child.stop()
            self.child = None


class Env:
    def __init__(self, home: Path):
        self.home = home.resolve()
        self.home.mkdir(parents=True, exist_ok=True)
        self._pg: Postgres | None = None
        self._redis: Redis | None = None

    def folder(self, name: str) -> Path:
        path = self.home / name
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir(parents=True)
        return path

    def postgres(self) -> Postgres:
        if self._pg is None:
            self._pg = Postgres(self.home / "pg")
            self._pg.start()
        return self._pg

    async def redis(self) -> Redis:
        if self._redis is None:
            self._redis = Redis(self.home / "redis")
            await self._redis.start()
        return self._redis

    def close(self):
        for s in (self._pg, self._redis):
            if s:
                s.stop()


def _all(pids):
    seen = {}
    for pid in pids:
        try:
            root = psutil.Process(pid)
            for p in [root, *root.children(recursive=True)]:
                seen[p.pid] = p
        except psutil.NoSuchProcess:
            continue
    return seen.values()


def cpu_seconds(pids) -> float:
    """User + system of the trees, exited (reaped) children included."""
    total = 0.0
    for p in _all(pids):
        try:
            t = p.cpu_times()
            total += t.user + t.system + t.children_user + t.children_system
        except psutil.NoSuchProcess:
            pass
    return total


def memory_mb(pids) -> float:
    """Proportional set size where the system tells it, else resident size."""
    total = 0
    for p in _all(pids):
        try:
            try:
                total += p.memory_full_info().pss
            except (psutil.AccessDenied, AttributeError):
                total += p.memory_info().rss
        except psutil.NoSuchProcess:
            pass
    return total / 1e6


def steal_seconds() -> float:
    return getattr(psutil.cpu_times(), "steal", 0.0)
