"""A key in the system's keyring: what Earshot put there under that name, and nothing else is ever taken for one."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time

import keyring
import pytest
from keyring.backends import fail
from keyring.core import load_keyring

from messaging.agents.providers import ProviderError, key_ring, options
from tests.agents import ring


@pytest.fixture
def kept(tmp_path, monkeypatch):
    before = keyring.get_keyring()
    monkeypatch.setenv(ring.FILE, str(tmp_path / "ring.json"))
    keyring.set_keyring(load_keyring(ring.BACKEND))
    keyring.set_password("earshot", "acme_api_key", "sk-1234\n")
    keyring.set_password("elsewhere", "other_api_key", "sk-other")
    yield
    keyring.set_keyring(before)


def read(name: str, **more: object) -> options.Options:
    return options.read({"model": "m", "key_ring": name} | more, {"ACME_API_KEY": "sk-other"})


def refused(name: str, **more: object) -> str:
    with pytest.raises(ProviderError) as failed:
        read(name, **more)
    return failed.value.reason


def test_it_is_read_from_the_keyring(kept):
    assert read("acme_api_key").key == "sk-1234"
    assert "sk-1234" not in repr(read("acme_api_key"))


@pytest.mark.parametrize("name", ["none_api_key", "other_api_key"])
def test_where_earshot_has_put_none_that_is_said(kept, name):
    assert refused(name) == "no_key"


@pytest.mark.parametrize("name", ["slack_token", "acme_api_key ", "a/b_api_key"])
def test_no_other_name_is_looked_up(kept, name):
    assert refused(name) == "bad_settings"


@pytest.mark.parametrize("more", [{"key_env": "ACME_API_KEY"}, {"key_file": "/keys/acme_api_key"}])
def test_a_key_is_in_one_place(kept, more):
    assert refused("acme_api_key", **more) == "bad_settings"


def test_what_can_be_no_key_is_none(kept):
    keyring.set_password("earshot", "acme_api_key", "A=1\nB=2")
    assert refused("acme_api_key") == "bad_settings"


def test_a_system_without_a_keyring_has_no_key(kept, caplog):
    keyring.set_keyring(fail.Keyring())
    assert refused("acme_api_key") == "no_key"
    assert [one.getMessage() for one in caplog.records] == ["The keyring gave no key (NoKeyringError)"]


def test_one_that_does_not_answer_holds_nobody_up(kept, caplog):
    before, began = set(threading.enumerate()), time.monotonic()
    with pytest.raises(ProviderError, match="no_key"):
        key_ring.read("asleep_api_key", patience=0.2)
    assert time.monotonic() - began < ring.SLEEPS
    for left in set(threading.enumerate()) - before:
        left.join(5)
    assert "may be locked" in caplog.text


def test_nobody_loads_it_who_wants_no_key_from_it():
    words = "import sys; from messaging.agents.providers import options, key_ring; import collab.cli.operators; "
    code = f"{words} sys.exit('keyring' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], env=dict(os.environ), check=False).returncode == 0
