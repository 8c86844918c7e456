"""A key in a file: read where it is the agents' alone, and nothing else is ever taken for one."""

from __future__ import annotations

import os

import pytest

from messaging.agents.providers import ProviderError, options


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "acme_api_key"
    file.write_text("sk-1234\n")
    file.chmod(0o600)
    return file


def read(path, **more):
    return options.read({"model": "m", "key_file": str(path)} | more, {"ACME_API_KEY": "sk-other"})


def refused(path, **more):
    with pytest.raises(ProviderError) as failed:
        read(path, **more)
    return failed.value.reason


def test_it_is_read_from_the_file(path):
    assert read(path).key == "sk-1234"
    assert "sk-1234" not in repr(read(path))


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o644])
def test_one_that_others_may_open_is_refused(path, mode):
    path.chmod(mode)
    assert refused(path) == "bad_settings"


def test_where_there_is_none_that_is_said(path):
    path.unlink()
    assert refused(path) == "no_key"
    path.touch(0o600)
    assert refused(path) == "no_key"


def test_a_link_leads_nowhere(path, tmp_path):
    secret = tmp_path / "other"
    secret.write_text("somebody's")
    secret.chmod(0o600)
    path.unlink()
    path.symlink_to(secret)
    assert refused(path) == "bad_settings"


def test_neither_does_a_pipe(path):
    path.unlink()
    os.mkfifo(path, 0o600)
    assert refused(path) == "bad_settings"


def test_nor_is_a_whole_file_of_settings_a_key(path):
    path.write_text("A=1\nB=2\n")
    assert refused(path) == "bad_settings"
    path.write_text("k" * 5000)
    assert refused(path) == "bad_settings"


@pytest.mark.parametrize("name", ["/etc/passwd", "acme_api_key", "/etc/earshot/.api_key"])
def test_no_other_name_is_opened(name):
    assert refused(name) == "bad_settings"


def test_a_key_is_in_one_place(path):
    assert refused(path, key_env="ACME_API_KEY") == "bad_settings"
