"""The programs that the stages use, installed where that can be done unasked, named where not."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from tests.services import browser, postgres


@dataclass(frozen=True)
class Need:
    """A program and the Debian package that brings it.

    wished: without it there is another, only slower.
    """

    name: str
    package: str
    there: Callable[[], bool]
    wished: bool = False


def _on_path(*names: str) -> Callable[[], bool]:
    return lambda: any(shutil.which(name) for name in names)


NODE = Need("Node.js", "nodejs", _on_path("node"))
NPM = Need("npm", "npm", _on_path("npm"))
REDIS = Need("Redis", "redis-server", _on_path("redis-server"))
POSTGRESQL = Need("PostgreSQL", "postgresql", lambda: postgres.program("initdb") is not None)
NGINX = Need("nginx", "nginx-light", _on_path("nginx"))
SQLITE = Need("SQLite's shell", "sqlite3", _on_path("sqlite3"))
SYSTEMD = Need("systemd-analyze", "systemd", _on_path("systemd-analyze"))
OPENSSL = Need("OpenSSL", "openssl", _on_path("openssl"))
# Draws no windows, which takes half the time of one that does and hides them.
SHELL = Need("Chromium's shell", browser.SHELL, _on_path(browser.SHELL), wished=True)
CHROMIUM = Need("Chromium", "chromium", _on_path(*browser.NAMES))


class Missing(Exception):
    """Something is not there and cannot be installed from here."""


def provide(needs: Iterable[Need]) -> None:
    """Have every program there, or raise `Missing` with the names of all that are not."""
    needs = list(needs)
    if _may_install():
        for need in needs:
            if need.wished and not need.there():
                _try(need)
    missing = [need for need in needs if not need.wished and not need.there()]
    if missing and _may_install():
        _install([need.package for need in missing])
        missing = [need for need in missing if not need.there()]
    if missing:
        names = ", ".join(f"{need.name} (Debian package {need.package})" for need in missing)
        raise Missing(f"missing: {names}")


def _try(need: Need) -> None:
    try:
        _install([need.package])
    except Missing:
        print(f"going on without {need.package}", flush=True)


def _may_install() -> bool:
    return os.geteuid() == 0 and Path("/etc/debian_version").exists() and shutil.which("apt-get") is not None


def _install(packages: list[str]) -> None:
    print(f"installing {', '.join(packages)}", flush=True)
    quiet = {"DEBIAN_FRONTEND": "noninteractive", **os.environ}
    for words in (["update"], ["install", "-y", "--no-install-recommends", *packages]):
        done = subprocess.run(["apt-get", "-qq", *words], env=quiet, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Missing(f"apt-get {words[0]} failed: {done.stderr.strip()[-500:]}")
