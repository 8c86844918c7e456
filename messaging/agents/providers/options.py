"""What a seat's settings say about its model. The environment is passed in; a key's file is read where one is named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from messaging.agents.providers import key_file
from messaging.agents.providers.base import ProviderError
from messaging.agents.providers.prompt import BUDGET
from messaging.domain.provider import fits

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
    name, path = settings.get("key_env"), settings.get("key_file")
    if path:
        if name or not fits("key_file", path):
            raise ProviderError("bad_settings")
        return _usable(key_file.read(str(path)))
    if not name:
        # A model on one's own machine wants no key; one of the public services always does.
        if settings.get("base_url"):
            return _NO_KEY
        raise ProviderError("no_key")
    if not fits("key_env", name):
        raise ProviderError("bad_settings")
    return _usable(environ.get(name, ""))


def _usable(found: str) -> str:
    key = found.strip()
    if not key.isascii() or not key.isprintable():
        raise ProviderError("bad_settings")
    if not key:
        raise ProviderError("no_key")
    return key
