"""Providers by the word in `Seat.provider`. Libraries of models load when one is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from messaging.agents.providers.base import Provider, ProviderError
from messaging.agents.providers.mirror import Mirror
from messaging.agents.providers.scripted import Scripted

__all__ = ["NAMES", "Provider", "ProviderError", "get"]


def _openai() -> Provider:
    from messaging.agents.providers.models import openai_compatible

    return openai_compatible()


def _anthropic() -> Provider:
    from messaging.agents.providers.models import anthropic

    return anthropic()


_MAKERS: Mapping[str, Callable[[], Provider]] = MappingProxyType(
    {
        "mirror": Mirror,
        "scripted": Scripted,
        "openai": _openai,
        "anthropic": _anthropic,
    }
)
NAMES = tuple(_MAKERS)


def get(name: str) -> Provider:
    """The provider of that name. Raises ProviderError `no_provider`."""
    if name not in _MAKERS:
        raise ProviderError("no_provider")
    return _MAKERS[name]()
