"""A seat's settings: what is taken, and that no other secret can be named as a key."""

from __future__ import annotations

import pytest

from messaging.agents.providers import ProviderError, options
from messaging.domain import reason

ENVIRON = {"ACME_API_KEY": "sk-1234", "AGENTS_DATABASE_URL": "postgresql://secret", "EMPTY_API_KEY": " "}


def read(**settings):
    return options.read({"model": "m"} | settings, ENVIRON)


def refused(**settings):
    with pytest.raises(ProviderError) as failed:
        read(**settings)
    assert not reason.is_passing(failed.value.reason)
    return failed.value.reason


def test_a_key_comes_from_the_variable_that_is_named():
    assert read(key_env="ACME_API_KEY").key == "sk-1234"


def test_the_key_is_not_in_what_is_printed():
    assert "sk-1234" not in repr(read(key_env="ACME_API_KEY"))


@pytest.mark.parametrize("name", ["AGENTS_DATABASE_URL", "PATH", "acme_api_key", "X_API_KEY\n", "API_KEY_X", 5])
def test_no_other_variable_is_read(name):
    assert refused(key_env=name, base_url="http://evil.example/v1") == "bad_settings"


@pytest.mark.parametrize("name", ["MISSING_API_KEY", "EMPTY_API_KEY"])
def test_a_missing_key_is_told(name):
    assert refused(key_env=name) == "no_key"


def test_a_model_of_ones_own_needs_no_key_and_a_public_one_does():
    assert read(base_url="http://127.0.0.1:11434/v1").key
    assert refused() == "no_key"


@pytest.mark.parametrize(
    "settings",
    [
        {"model": ""},
        {"model": 5},
        {"model": None},
        {"base_url": "file:///etc/passwd"},
        {"base_url": 5},
        {"timeout": "soon"},
        {"timeout": -1},
        {"timeout": True},
        {"max_tokens": 1.5},
        {"deadline": 0},
    ],
)
def test_what_does_not_fit_is_refused(settings):
    assert refused(**({"base_url": "http://127.0.0.1:1/v1"} | settings)) == "bad_settings"


def test_a_key_that_is_no_header_is_refused():
    with pytest.raises(ProviderError) as failed:
        options.read({"model": "m", "key_env": "ODD_API_KEY"}, {"ODD_API_KEY": "sk\r\nX: 1"})
    assert failed.value.reason == "bad_settings"
