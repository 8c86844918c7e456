"""The words that the house takes for providers are those that the agents' process knows, and so are their settings."""

from __future__ import annotations

from typing import Any

import pytest

from messaging.agents import providers
from messaging.agents.providers import ProviderError, options
from messaging.domain.provider import MODELS, PROVIDERS, SETTINGS, fault, is_own

LOCAL = "http://127.0.0.1:11434/v1"
ABROAD = "https://models.example.org/v1"


def test_both_sides_know_the_same_providers():
    assert set(providers.NAMES) == set(PROVIDERS) == set(SETTINGS)


FITTING: list[tuple[str, dict[str, Any]]] = [
    ("mirror", {}),
    ("mirror", {"pause": 0.5}),
    ("scripted", {"script": [[]]}),
    ("openai", {"model": "m", "key_env": "ACME_API_KEY"}),
    ("openai", {"model": "m", "key_env": "ACME_API_KEY", "base_url": ABROAD}),
    ("openai", {"model": "m", "base_url": LOCAL}),
    ("openai", {"model": "m", "base_url": LOCAL, "key_env": None}),
    ("openai", {"model": "m", "base_url": ABROAD, "key_env": ""}),
    ("anthropic", {"model": "m", "key_env": "ACME_API_KEY", "timeout": 5, "deadline": 9.5, "max_tokens": 1}),
    ("openai", {"model": "m", "base_url": LOCAL, "price_in": 0, "price_out": 2.5}),
    ("openai", {"model": "m", "key_env": "ACME_API_KEY", "key_ring": "", "key_file": None}),
    ("openai", {"model": "m", "base_url": LOCAL, "context_bytes": 1, "instructions": "Be brief.", "timeout": None}),
]


@pytest.mark.parametrize(("provider", "settings"), FITTING)
def test_what_fits_is_taken_and_a_model_s_provider_takes_it_too(provider: str, settings: dict[str, Any]):
    assert fault(provider, settings) is None
    if provider in MODELS:
        assert options.read(settings, {"ACME_API_KEY": "sk"}).model == "m"


UNFIT: list[tuple[str, dict[str, Any], str]] = [
    ("mirror", {"pause": -1}, "pause"),
    ("mirror", {"pause": True}, "pause"),
    ("mirror", {"pause": 61}, "pause"),
    ("mirror", {"model": "m"}, "model"),
    ("scripted", {}, "script"),
    ("scripted", {"script": ["say"]}, "script"),
    ("openai", {}, "model"),
    ("openai", {"model": "", "key_env": "ACME_API_KEY"}, "model"),
    ("openai", {"model": "m"}, "key_env"),
    ("openai", {"model": "m", "key_env": ""}, "key_env"),
    ("openai", {"model": "m", "base_url": ABROAD}, "key_env"),
    ("openai", {"model": "m", "key_env": "sk-1234"}, "key_env"),
    ("openai", {"model": "m", "key_env": "DATABASE_URL"}, "key_env"),
    ("openai", {"model": "m", "key_env": ["ACME_API_KEY"]}, "key_env"),
    ("openai", {"model": "m", "base_url": "file:///etc/passwd"}, "base_url"),
    ("openai", {"model": "m", "base_url": "http://["}, "base_url"),
    ("openai", {"model": "m", "base_url": "http://sam:sk-1234@127.0.0.1/v1"}, "base_url"),
    ("openai", {"model": "m", "key_file": "keys/acme_api_key"}, "key_file"),
    ("openai", {"model": "m", "key_file": "/etc/shadow"}, "key_file"),
    ("openai", {"model": "m", "key_file": "/home/alex/.ssh/id_api_key"}, "key_file"),
    ("openai", {"model": "m", "key_file": "/keys/../root/acme_api_key"}, "key_file"),
    ("openai", {"model": "m", "key_file": "/keys/acme_api_key", "key_env": "ACME_API_KEY"}, "key_file"),
    ("openai", {"model": "m", "key_ring": "sk-1234"}, "key_ring"),
    ("openai", {"model": "m", "key_ring": "slack_token"}, "key_ring"),
    ("openai", {"model": "m", "key_ring": "acme_api_key", "key_env": "ACME_API_KEY"}, "key_ring"),
    ("openai", {"model": "m", "key_ring": "acme_api_key", "key_file": "/keys/acme_api_key"}, "key_ring"),
    ("openai", {"model": "m", "base_url": LOCAL, "price_in": -1}, "price_in"),
    ("openai", {"model": "m", "base_url": LOCAL, "timeout": 0}, "timeout"),
    ("openai", {"model": "m", "base_url": LOCAL, "max_tokens": 1.5}, "max_tokens"),
    ("openai", {"model": "m", "base_url": LOCAL, "instructions": 5}, "instructions"),
    ("openai", {"model": "m", "base_url": LOCAL, "api_key": "sk-1234"}, "api_key"),
    ("anthropic", {"model": "m"}, "key_env"),
]


@pytest.mark.parametrize(("provider", "settings", "named"), UNFIT)
def test_what_does_not_fit_is_named_and_its_value_is_not_told(provider: str, settings: dict[str, Any], named: str):
    found = fault(provider, settings)
    assert found is not None
    assert found[0] == named
    assert "sk-1234" not in found[1]


@pytest.mark.parametrize(
    "settings",
    [settings for provider, settings, _ in UNFIT if provider in MODELS and set(settings) <= {"model", "key_env"}],
)
def test_without_an_address_what_the_house_refuses_would_not_have_run(settings: dict[str, Any]):
    with pytest.raises(ProviderError):
        options.read(settings, {"ACME_API_KEY": "sk"})


@pytest.mark.parametrize(
    ("host", "own"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("::1", True),
        ("192.168.1.5", True),
        ("10.0.0.1", True),
        ("ollama", True),
        ("gpu.lan", True),
        ("host.docker.internal", True),
        ("api.openai.com", False),
        ("8.8.8.8", False),
        ("localhost.example.org", False),
    ],
)
def test_one_s_own_network_is_known_by_its_names(host: str, own: bool):
    assert is_own(host) is own
