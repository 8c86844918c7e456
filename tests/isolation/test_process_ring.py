"""The second ring: in the agents' process there is no model of the transcript to ask, and no secret to ask with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from collab.processes import agents_environment

ROOT = Path(__file__).parents[2]
SECRETS = {
    "DATABASE_URL": "sqlite:////somewhere/house.sqlite3", "SECRET_KEY": "s" * 40, "REDIS_URL": "redis://x/0",
    "EMAIL_URL": "smtp://x", "SLACK_BOT_TOKEN": "xoxb-1", "EARSHOT_TOKEN": "ear_x", "AWS_SECRET_ACCESS_KEY": "a",
}  # fmt: skip


def in_agents_process(code, tmp_path, **more):
    """Runs code under the agents' settings, in the environment that their process gets, and answers with its JSON."""
    inherited = os.environ | SECRETS | {"OPENAI_API_KEY": "sk-model"} | more
    environ = agents_environment.cleaned(inherited, f"sqlite:///{tmp_path}/earshot.sqlite3")
    begin = "import json, os, sys, django\ndjango.setup()\nfrom django.apps import apps\n"
    done = subprocess.run(
        [sys.executable, "-c", begin + code],
        env=environ,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


TRY = """
def outcome(work):
    try:
        work()
    except Exception as error:
        return type(error).__name__
    return "ok"
"""


@pytest.mark.parametrize(
    ("app", "model", "there"),
    [("mailbox", "Delivery", True), ("mailbox", "Seat", True), ("transcript", "Message", False), ("roster", "Person", False),
     ("roster", "Token", False), ("journal", "Entry", False), ("auth", "User", False), ("sessions", "Session", False)],
)  # fmt: skip
def test_which_models_there_are(tmp_path, app, model, there):
    found = in_agents_process(
        f"{TRY}\nprint(json.dumps(outcome(lambda: apps.get_model('{app}', '{model}'))))", tmp_path
    )
    assert found == ("ok" if there else "LookupError")


@pytest.mark.parametrize(
    ("module", "there"),
    [("messaging.mailbox.models", True), ("messaging.transcript.models", False), ("messaging.roster.models", False),
     ("messaging.journal.models", False), ("messaging.actions.post", False)],
)  # fmt: skip
def test_importing_models_of_the_house_fails(tmp_path, module, there):
    """Their app is not installed, so Django refuses to make the classes."""
    found = in_agents_process(
        f"{TRY}\nimport importlib\nprint(json.dumps(outcome(lambda: importlib.import_module('{module}'))))", tmp_path
    )
    assert found == ("ok" if there else "RuntimeError")


def test_no_secret_of_the_house_is_in_the_environment(tmp_path):
    """Read from the kernel, not from a dictionary that could have been tidied up."""
    found = in_agents_process("print(json.dumps(open('/proc/self/environ').read().split(chr(0))))", tmp_path)
    names = {pair.partition("=")[0] for pair in found}
    assert "OPENAI_API_KEY" in names
    assert "AGENTS_DATABASE_URL" in names
    assert not names & set(SECRETS)


def test_there_is_one_database_and_it_is_walled(tmp_path):
    code = (
        "from django.db import connections\nprint(json.dumps([c.settings_dict['ENGINE'] for c in connections.all()]))"
    )
    assert in_agents_process(code, tmp_path) == ["messaging.mailbox.walled"]


def test_a_process_that_was_given_the_houses_secrets_does_not_start(tmp_path):
    environ = agents_environment.cleaned(os.environ, f"sqlite:///{tmp_path}/x.sqlite3") | {"SECRET_KEY": "s" * 40}
    done = subprocess.run(
        [sys.executable, "-c", "import django; django.setup()"],
        env=environ,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "SECRET_KEY must not reach the process of agents" in done.stderr
