from __future__ import annotations

import os
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.test import Client
from django.utils import timezone

from collab.cli.main import main
from messaging.actions.demo import seed
from messaging.actions.enrol import add_person
from messaging.roster.models import Account, Person, SignInLink
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


def test_a_link_lets_a_person_in_once(installation: None, capsys: pytest.CaptureFixture[str]):
    add_person("ann")
    assert main(["link", "ann"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    (line,) = out.splitlines()
    assert line.startswith("https://earshot.example.org/sign-in/")
    left = SignInLink.objects.get().expires_at - timezone.now()
    assert timedelta(minutes=14) < left <= timedelta(minutes=15)
    ann, thief, path = Client(), Client(), urlsplit(line).path
    assert [ann.post(path).status_code, thief.post(path).status_code] == [302, 404]
    assert ann.session["_auth_user_id"] == str(Account.objects.get(username="ann").pk)
    assert "_auth_user_id" not in thief.session


@pytest.mark.parametrize("handle", ["nobody", "scout", "Bad Handle!", "\udcff", ""])
def test_nobody_s_handle_gets_no_link(handle: str, installation: None, capsys: pytest.CaptureFixture[str]):
    seed()
    assert main(["link", handle]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == 1
    assert "is no person here" in err
    assert not SignInLink.objects.exists()


@pytest.mark.parametrize("account", [False, True], ids=["without", "disabled"])
def test_nor_does_who_could_not_sign_in_by_it(account: bool, installation: None, capsys: pytest.CaptureFixture[str]):
    add_person("ann")
    if account:
        Account.objects.update(is_active=False)
    else:
        Person.objects.update(account=None)
    assert main(["link", "ann"]) == 1
    assert capsys.readouterr().err == "earshot: ann has no account that may sign in\n"
    assert not SignInLink.objects.exists()


def test_a_mistaken_folder_is_named_and_not_made(tmp_path: Path):
    home = tmp_path / "elsewhere"
    environ = {"PATH": os.environ["PATH"], "EARSHOT_HOME": str(home)}
    done = subprocess.run([PROGRAM, "link", "ann"], env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    assert str(home) in done.stderr
    assert not home.exists()
