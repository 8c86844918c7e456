"""The locks pin by hash and name no place: whoever installs chooses where from."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LOCKS = sorted((ROOT / "requirements").glob("*.txt"))


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_every_requirement_is_pinned_with_hashes(lock: Path):
    text = lock.read_text()
    wanted = re.split(r"(?m)^(?=[a-z0-9])", text)[1:]
    assert wanted
    for requirement in wanted:
        assert re.match(r"[a-z0-9.-]+==\S+", requirement), requirement
        assert "--hash=sha256:" in requirement


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_no_python_lock_names_an_address_or_a_folder(lock: Path):
    assert not re.search(r"://|^-|file:|(^|[\s(])/", lock.read_text(), re.MULTILINE)


def test_the_script_lock_names_no_address():
    text = (ROOT / "package-lock.json").read_text()
    assert "://" not in text
    packages = json.loads(text)["packages"]
    assert all("resolved" not in package for package in packages.values())
    assert all("integrity" in package for name, package in packages.items() if name)


def test_a_run_and_a_test_use_the_same_versions():
    def pins(name: str) -> dict[str, str]:
        found = re.findall(r"(?m)^([a-z0-9.-]+)==(\S+)", (ROOT / "requirements" / name).read_text())
        return dict(found)

    run, test = pins("run.txt"), pins("test.txt")
    assert run.items() <= test.items()
