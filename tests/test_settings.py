"""Settings as a process of their own reads them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

KEPT = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
AGENTS = {"AGENTS_DATABASE_URL": "sqlite:////tmp/none.sqlite3"}


def run(kind: str, expression: str, **environ: str) -> subprocess.CompletedProcess[str]:
    program = f"from collab.settings.{kind} import *\nprint(({expression}))"
    given = KEPT | {"SECRET_KEY": "s" * 40} | environ if kind == "house" else KEPT | environ
    return subprocess.run([sys.executable, "-c", program], env=given, capture_output=True, text=True, check=False)


def evaluated(kind: str, expression: str, **environ: str) -> str:
    done = run(kind, expression, **environ)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_agents_know_the_mailbox_and_themselves():
    assert evaluated("agents", "INSTALLED_APPS", **AGENTS) == "['messaging.mailbox', 'messaging.agents']"
    assert evaluated("agents", "list(DATABASES)", **AGENTS) == "['default']"
    assert evaluated("agents", "DATABASES['default']['ENGINE']", **AGENTS) == "messaging.mailbox.walled"


def test_agents_sign_with_a_key_of_their_own():
    assert evaluated("agents", "SECRET_KEY", **AGENTS) != evaluated("agents", "SECRET_KEY", **AGENTS)


@pytest.mark.parametrize("name", ["DATABASE_URL", "SECRET_KEY", "REDIS_URL", "EMAIL_URL"])
def test_agents_do_not_start_within_reach_of_the_house_s_secrets(name: str):
    done = run("agents", "1", **AGENTS, **{name: "x"})
    assert done.returncode == 1
    assert f"UnsafeSetting: {name} must not reach" in done.stderr


def test_models_of_the_house_cannot_be_had_under_the_agents_settings():
    program = (
        "import django; django.setup()\n"
        "from django.apps import apps\n"
        "print(apps.get_model('mailbox', 'Delivery').__name__)\n"
        "apps.get_model('transcript', 'Message')"
    )
    environ = KEPT | AGENTS | {"DJANGO_SETTINGS_MODULE": "collab.settings.agents"}
    done = subprocess.run([sys.executable, "-c", program], env=environ, capture_output=True, text=True, check=False)
    # The control: what is theirs is found. The refusal: what is not theirs does not exist.
    assert done.stdout == "Delivery\n"
    assert "LookupError" in done.stderr


def test_the_restricted_database_is_never_migrated_by_itself():
    assert evaluated("house", "DATABASES['agents']['TEST']") == "{'MIRROR': 'default'}"
