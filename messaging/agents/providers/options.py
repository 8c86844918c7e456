"""What a seat's settings say about its model. Pure: the environment is passed in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from messaging.agents.providers.base import ProviderError
from messaging.agents.providers.prompt import BUDGET

#: Only such a variable is read: settings must not be able to send another secret to an address they name.
_KEY_ENV = re.compile(r"[A-Z][A-Z0-9_]*_API_KEY")
_NO_KEY = "none"


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
    known: dict[str, type | tuple[type, ...]] = {
        "base_url": str,
        "timeout": (int, float),
        "deadline": (int, float),
        "max_tokens": int,
        "context_bytes": int,
    }
    given = {name: settings[name] for name in known if settings.get(name) not in (None, "")}
    model = settings.get("model")
    if not isinstance(model, str) or not model or not all(_fits(given[name], known[name]) for name in given):
        raise ProviderError("bad_settings")
    return Options(model=model, key=_key(settings, environ), **given)


def _fits(value: object, kind: type | tuple[type, ...]) -> bool:
    if isinstance(value, str):
        return kind is str and value.startswith(("http://", "https://"))
    return isinstance(value, kind) and not isinstance(value, bool) and value > 0  # type: ignore[operator]


def _key(settings: Mapping[str, Any], environ: Mapping[str, str]) -> str:
    name = settings.get("key_env")
    if not name:
        # A model on one's own machine wants no key; one of the public services always does.
        if settings.get("base_url"):
            return _NO_KEY
        raise ProviderError("no_key")
    if not isinstance(name, str) or not _KEY_ENV.fullmatch(name):
        raise ProviderError("bad_settings")
    key = environ.get(name, "").strip()
    if not key.isascii() or not key.isprintable():
        raise ProviderError("bad_settings")
    if not key:
        raise ProviderError("no_key")
    return key
