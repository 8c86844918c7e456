from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from collab.cli.main import main
from tests.services.earshot import PROGRAM


def test_help_comes_in_no_time_and_without_django():
    times = []
    for _ in range(5):
        began = time.monotonic()
        done = subprocess.run([PROGRAM, "--help"], capture_output=True, text=True, check=True)
        times.append(time.monotonic() - began)
        assert "agents" in done.stdout
    assert min(times) < 0.3
    loaded = "import sys, collab.cli.main; sys.exit('django' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", loaded], check=False).returncode == 0


def test_what_is_not_understood_is_2(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit) as ended:
        main(["dance"])
    assert ended.value.code == 2


@pytest.mark.parametrize("role", ["web", "worker", "agents", "beat"])
def test_a_process_of_a_fleet_needs_redis(role: str, capsys: pytest.CaptureFixture[str]):
    assert main([role]) == 1
    assert capsys.readouterr().err.startswith("earshot: REDIS_URL is not set")


SHARED = {"REDIS_URL": "redis://r:6379/0", "SECRET_KEY": "s" * 40}
APART = SHARED | {"AGENTS_REDIS_URL": "redis://agents:a@r:6379/0"}


@pytest.mark.parametrize(("environ", "told"), [(SHARED, True), (APART, False)], ids=["shared", "apart"])
def test_agents_that_share_the_house_s_redis_start_aloud(
    environ: dict[str, str], told: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    started: list[dict[str, str]] = []
    monkeypatch.setattr(os, "execve", lambda _program, _words, environ: started.append(environ))
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AGENTS_REDIS_URL", environ.get("AGENTS_REDIS_URL", ""))
    main(["agents"])
    assert started[0]["AGENTS_REDIS_URL"] == environ.get("AGENTS_REDIS_URL", SHARED["REDIS_URL"])
    # The setting is named, its value and its password are not.
    said = capsys.readouterr().err
    assert ("AGENTS_REDIS_URL" in said) is told
    assert "r:6379" not in said


def test_one_process_wants_no_redis(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1")
    assert main(["up"]) == 1
    assert capsys.readouterr().err.startswith("earshot: REDIS_URL is set")
