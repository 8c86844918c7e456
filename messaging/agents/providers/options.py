"""What a seat's settings say about its model. The environment is passed in; where a key's file or its entry in the
keyring is named, that is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from messaging.agents.providers import key_file, key_ring
from messaging.agents.providers.base import ProviderError
from messaging.agents.providers.prompt import BUDGET
from messaging.domain.provider import KEY_PLACES, fits

_GIVEN = ("base_url", "timeout", "deadline", "max_tokens", "context_bytes", "context_tokens")
_NO_KEY = "none"
#: A token of English has four bytes and of other languages fewer: what fits by this guess fits the model.
BYTES_PER_TOKEN = 3


@dataclass(frozen=True, slots=True)
class Options:
    """How to reach a model. `timeout` bounds a silence, `deadline` the whole attempt, both in seconds."""

    model: str
    key: str = field(repr=False)
    base_url: str | None = None
    timeout: float = 120.0
    deadline: float = 600.0
    max_tokens: int | None = None
    context_bytes: int = BUDGET


def read(settings: Mapping[str, Any], environ: Mapping[str, str]) -> Options:
    """The options of a seat. Raises ProviderError `bad_settings` or `no_key`."""
    given = {name: settings[name] for name in _GIVEN if settings.get(name) not in (None, "")}
    model = settings.get("model")
    if not fits("model", model) or not all(fits(name, value) for name, value in given.items()):
        raise ProviderError("bad_settings")
    tokens = given.pop("context_tokens", None)
    if tokens is not None:
        given["context_bytes"] = tokens * BYTES_PER_TOKEN
    return Options(model=str(model), key=_key(settings, environ), **given)


def _key(settings: Mapping[str, Any], environ: Mapping[str, str]) -> str:
    named = [place for place in KEY_PLACES if settings.get(place)]
    if len(named) > 1 or not all(fits(place, settings[place]) for place in named):
        raise ProviderError("bad_settings")
    if not named:
        # A model on one's own machine wants no key; one of the public services always does.
        if settings.get("base_url"):
            return _NO_KEY
        raise ProviderError("no_key")
    [place], name = named, str(settings[named[0]])
    if place == "key_env":
        return _usable(environ.get(name, ""))
    return _usable(key_file.read(name) if place == "key_file" else key_ring.read(name))


def _usable(found: str) -> str:
    key = found.strip()
    if not key.isascii() or not key.isprintable():
        raise ProviderError("bad_settings")
    if not key:
        raise ProviderError("no_key")
    return key
