"""The first ring: the contracts of imports hold, and a planted violation is seen."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def lint(folder):
    """Whether the contracts hold in a checkout."""
    tool = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([tool, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode == 0, done.stdout


@pytest.fixture
def copy(tmp_path):
    for name in ("collab", "messaging", "channels_app", "pyproject.toml"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tmp_path / name)
    return tmp_path


def test_the_contracts_hold(copy):
    holds, words = lint(copy)
    assert holds, words


@pytest.mark.parametrize(
    ("file", "line", "contract"),
    [
        ("messaging/agents/context.py", "import messaging.transcript.read", "Hosted agents stand on the mailbox"),
        ("messaging/agents/turn.py", "from messaging.roster import access", "Hosted agents stand on the mailbox"),
        ("messaging/mailbox/put.py", "import messaging.transcript.models", "Imports point down"),
        ("messaging/mailbox/put.py", "import messaging.journal.clock", "Imports point down"),
        ("messaging/domain/audience.py", "import django", "The rules are pure"),
        ("messaging/roster/access.py", "import pydantic_ai", "Model libraries load in the agents' process alone"),
        ("collab/api/me.py", "import messaging.agents.turn", "Nobody imports the agents"),
    ],
)
def test_a_planted_violation_is_seen(copy, file, line, contract):
    path = copy / file
    path.write_text(path.read_text() + f"\n{line}\n")
    holds, words = lint(copy)
    assert not holds
    broken = [row for row in words.splitlines() if row.endswith("BROKEN")]
    assert any(contract in row for row in broken), words
