"""The words that the house takes for providers are those that the agents' process knows."""

from __future__ import annotations

from messaging.agents import providers
from messaging.domain.provider import PROVIDERS


def test_both_sides_know_the_same_providers():
    assert set(providers.NAMES) == set(PROVIDERS)
