"""Start Earshot on the newest Python found here: install the lock, serve, answer, stop."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.services import earshot
from tests.services.earshot import Installation

NEWEST = "3.13"
ROOT = Path(__file__).resolve().parents[2]


def interpreter() -> str | None:
    """Find the interpreter: on the path, or where a version manager keeps it."""
    places = [shutil.which(f"python{NEWEST}"), f"/usr/bin/python{NEWEST}"]
    places += map(str, sorted(Path.home().glob(f".pyenv/versions/{NEWEST}.*/bin/python"), reverse=True))
    return next((place for place in places if place and _runs(place)), None)


def _runs(program: str) -> bool:
    # A version manager puts a program on the path that refuses to run when that version is not chosen.
    question = f"import sys; sys.exit('%d.%d' % sys.version_info[:2] != '{NEWEST}')"
    try:
        return subprocess.run([program, "-c", question], capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def install(python: str, folder: Path) -> Path:
    """Make an environment of that Python with exactly what a run needs; return its programs' folder."""
    uv = Path(sys.executable).with_name("uv")
    environ = os.environ | {"VIRTUAL_ENV": str(folder)}
    lock = ROOT / "requirements" / "run.txt"
    for words in (
        ["venv", "--quiet", "--python", python, str(folder)],
        ["pip", "install", "--quiet", "--require-hashes", "-r", str(lock)],
        ["pip", "install", "--quiet", "--offline", "--no-deps", "--no-build-isolation", "-e", str(ROOT)],
    ):
        subprocess.run([uv, *words], env=environ, check=True)
    return folder / "bin"


def main() -> int:
    """Do it, or say plainly that there is no such Python."""
    python = interpreter()
    if python is None:
        print(f"NOT RUN: no Python {NEWEST} here; nothing was tried on it")
        return 0
    with tempfile.TemporaryDirectory(prefix="earshot-newest-") as folder:
        earshot.PROGRAM = install(python, Path(folder) / "venv") / "earshot"
        running = Installation(Path(folder) / "home")
        try:
            running.up()
            assert running.status("/sign-in/") == 200
            took = running.children["up-0"].stop()
        finally:
            running.stop()
    print(f"Python {NEWEST} ({python}): started, answered, stopped in {took:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
