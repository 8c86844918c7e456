"""Build the wheel, install it far from the checkout, and have it start, answer a question and stop."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

import httpx

from tests.services import earshot
from tests.services.earshot import Installation

ROOT = Path(__file__).resolve().parents[2]
UV = Path(sys.executable).with_name("uv")
PACKAGES = ("collab", "messaging", "channels_app")
STYLE = re.compile(r'href="(/static/[^"]+\.css)"')


def build(folder: Path) -> Path:
    """Build from the checkout, without a network; return the wheel."""
    words = ["build", "--quiet", "--wheel", "--no-build-isolation", "--offline", "--out-dir", str(folder), str(ROOT)]
    subprocess.run([UV, *words], check=True)
    (wheel,) = folder.glob("*.whl")
    return wheel


def holds_everything(wheel: Path) -> int:
    """Check that it has every file of the packages (templates, static files, migrations) and no other; count them."""
    names = zipfile.ZipFile(wheel).namelist()
    there = {name for name in names if not name.split("/")[0].endswith(".dist-info")}
    files = (file for top in PACKAGES for file in (ROOT / top).rglob("*") if file.is_file())
    wanted = {str(file.relative_to(ROOT)) for file in files if file.suffix != ".pyc"}
    assert there == wanted, there ^ wanted
    for part in ("collab/web/templates/web/base.html", "collab/web/static/web/js/main.js"):
        assert part in there
    assert "messaging/mailbox/migrations/0001_initial.py" in there
    return len(there)


def install(wheel: Path, folder: Path) -> Path:
    """Make an environment with the locked dependencies and the wheel; return its programs' folder."""
    environ = os.environ | {"VIRTUAL_ENV": str(folder)}
    for words in (
        ["venv", "--quiet", "--python", sys.executable, str(folder)],
        ["pip", "install", "--quiet", "--require-hashes", "-r", str(ROOT / "requirements" / "run.txt")],
        ["pip", "install", "--quiet", "--offline", "--no-deps", str(wheel)],
    ):
        subprocess.run([UV, *words], env=environ, check=True)
    return folder / "bin"


def call(running: Installation, path: str, token: str = "", body: Any = None) -> httpx.Response:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    answer = httpx.request("GET" if body is None else "POST", running.address + path, headers=headers, json=body)
    return answer.raise_for_status()


def run(program: Path, *words: str, environ: dict[str, str]) -> str:
    return subprocess.run([program, *words], env=environ, capture_output=True, text=True, check=True).stdout


def answers_a_question(running: Installation, program: Path) -> float:
    """Ask the demo's agent and wait for its answer; return how long it took."""
    tokens = running.home / "tokens.json"
    run(program, "manage", "seed_demo", "--tokens", str(tokens), environ=running.environ)
    alex = json.loads(tokens.read_text())["tokens"]["alex"]
    began = time.monotonic()
    body = {"text": "who is there?", "audience": "active_agent"}
    asked = call(running, "/api/v1/sessions/welcome/messages", alex, body).json()
    path = f"/api/v1/messages/{asked['id']}"
    while call(running, path, alex).json()["deliveries"][0]["disposition"] != "responded":
        assert time.monotonic() - began < 30
        time.sleep(0.05)
    return time.monotonic() - began


def main() -> int:
    """Do it all in a temporary folder, from which nothing of the checkout can be imported."""
    with tempfile.TemporaryDirectory(prefix="earshot-wheel-") as temporary:
        folder = Path(temporary)
        wheel = build(folder / "dist")
        files = holds_everything(wheel)
        programs = install(wheel, folder / "venv")
        os.chdir(folder)
        where = run(programs / "python", "-c", "import collab; print(collab.__file__)", environ={"PATH": ""}).strip()
        assert where.startswith(str(folder)), where
        earshot.PROGRAM = programs / "earshot"
        running = Installation(folder / "home")
        try:
            running.up()
            style = STYLE.search(call(running, "/sign-in/").text)
            assert style is not None
            assert running.status(style.group(1)) == 200
            took = answers_a_question(running, earshot.PROGRAM)
            stopped = running.children["up-0"].stop()
        finally:
            running.stop()
    print(f"{wheel.name}: {files} files; started, answered in {took:.1f} s, stopped in {stopped:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
