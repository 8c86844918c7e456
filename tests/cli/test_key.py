"""`earshot key`: into the system's keyring and out of it, and never on a screen."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path

import pytest

from tests.agents import ring
from tests.cli.conftest import earshot, refused
from tests.services.earshot import PROGRAM, Installation

ROOT = str(Path(__file__).resolve().parents[2])
SECRET = "sk-CANARY-41"


@pytest.fixture
def kept(own: Installation, tmp_path: Path) -> Path:
    """The file of a keyring that the commands are told to use."""
    file = tmp_path / "ring.json"
    own.environ |= {"PYTHON_KEYRING_BACKEND": ring.BACKEND, ring.FILE: str(file), "PYTHONPATH": ROOT}
    return file


def inside(file: Path) -> dict[str, str]:
    return json.loads(file.read_text()) if file.exists() else {}


def test_what_is_piped_in_is_kept_and_taken_out_again(own: Installation, kept: Path):
    done = earshot(own, "key", "set", "acme_api_key", typed=f"{SECRET}\n")
    assert (done.returncode, inside(kept)) == (0, {"earshot acme_api_key": SECRET})
    assert '"key_ring": "acme_api_key"' in done.stdout
    assert SECRET not in done.stdout + done.stderr
    assert earshot(own, "key", "unset", "acme_api_key").returncode == 0
    assert inside(kept) == {}
    assert refused(earshot(own, "key", "unset", "acme_api_key")) == "there is no acme_api_key in the keyring"


def test_what_is_typed_at_a_terminal_is_not_shown(own: Installation, kept: Path):
    ours, theirs = pty.openpty()
    started = subprocess.Popen(
        [PROGRAM, "key", "set", "acme_api_key"], env=own.environ, stdin=theirs, stdout=theirs, stderr=theirs,
        start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while b"not shown" not in shown:
        shown += os.read(ours, 1024)
    os.write(ours, f"{SECRET}\n".encode())
    try:
        while more := os.read(ours, 1024):
            shown += more
    except OSError:
        pass  # it has ended
    assert started.wait(20) == 0
    os.close(ours)
    assert inside(kept) == {"earshot acme_api_key": SECRET}
    assert SECRET.encode() not in shown
    assert b"Kept as acme_api_key" in shown


@pytest.mark.parametrize(
    ("name", "typed"),
    [("slack_token", SECRET), ("../acme_api_key", SECRET), ("acme_api_key", ""), ("acme_api_key", "two\x07words")],
)
def test_what_cannot_be_is_not_kept(own: Installation, kept: Path, name: str, typed: str):
    done = earshot(own, "key", "set", name, typed=f"{typed}\n")
    assert done.returncode == 2
    assert inside(kept) == {}
    assert SECRET not in done.stderr


def test_a_system_without_a_keyring_says_so_and_names_another_place(own: Installation, kept: Path):
    done = earshot(
        own, "key", "set", "acme_api_key", typed=SECRET, PYTHON_KEYRING_BACKEND="keyring.backends.fail.Keyring"
    )
    assert "use key_file or key_env" in refused(done)
    assert SECRET not in done.stderr
