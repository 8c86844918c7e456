"""`earshot manage` runs Django's commands for the house, wherever it was installed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.services.earshot import KEPT, PROGRAM

pytestmark = pytest.mark.processes


def manage(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {name: os.environ[name] for name in KEPT if name in os.environ} | {"EARSHOT_HOME": str(folder / "home")}
    command = [str(PROGRAM), "manage", *words]
    return subprocess.run(command, env=environ, cwd=folder, capture_output=True, text=True, check=False)


def test_a_command_takes_its_own_options(tmp_path: Path):
    assert manage(tmp_path, "migrate", "--verbosity", "0").returncode == 0
    added = manage(tmp_path, "add_person", "kim", "--name", "Kim")
    assert (added.returncode, added.stdout) == (0, "kim\n")
    assert (tmp_path / "home" / "earshot.sqlite3").is_file()


def test_what_it_does_not_know_it_says(tmp_path: Path):
    done = manage(tmp_path, "dance")
    assert done.returncode == 1
    assert "Unknown command: 'dance'" in done.stderr
