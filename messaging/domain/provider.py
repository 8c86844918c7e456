"""What a hosted agent can be run by, and which settings that takes. The agents' process has a provider for each."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from ipaddress import ip_address
from types import MappingProxyType
from typing import Any, TypeAlias
from urllib.parse import urlsplit

PROVIDERS = ("mirror", "scripted", "openai", "anthropic")
MODELS = ("openai", "anthropic")
LONGEST_PAUSE = 60.0
#: Only such a variable is read: settings must not be able to send another secret to an address they name.
KEY_ENV = re.compile(r"[A-Z][A-Z0-9_]*_API_KEY")
#: The same of files: settings must not be able to send another secret to an address they name.
KEY_FILE = re.compile(r"(/[A-Za-z0-9_@+-][A-Za-z0-9_.@+-]*)*/[A-Za-z0-9_-]*_api_key")
#: The service under which Earshot's secrets lie in the system's keyring, and the same of an entry's name there.
KEYRING = "earshot"
KEY_RING = re.compile(r"[A-Za-z0-9_-]{0,56}_api_key")
#: A key is in one of these places.
KEY_PLACES = ("key_env", "key_file", "key_ring")
#: What people call machines of their own network.
_OWN = (".local", ".lan", ".internal", ".home.arpa")

#: Whether a value fits, and what is said of one that does not.
Rule: TypeAlias = tuple[Callable[[Any], bool], str]


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _address(value: object) -> bool:
    if not isinstance(value, str) or not value.startswith(("http://", "https://")):
        return False
    # A password in an address would lie in the database, and in whatever tells the address.
    return _host(value) != "" and "@" not in urlsplit(value).netloc


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


_PRICE: Rule = (lambda value: _number(value) and value >= 0, "is what a million tokens cost, a number from 0 on")
_TEXT: Rule = (lambda value: isinstance(value, str), "is a text")
_SECONDS: Rule = (lambda value: _number(value) and value > 0, "is a number of seconds above 0")
_WHOLE: Rule = (lambda value: _number(value) and isinstance(value, int) and value > 0, "is a whole number above 0")
_OF_MODELS: Mapping[str, Rule] = MappingProxyType(
    {
        "model": (lambda value: isinstance(value, str) and value != "", "is needed: the model's name at its server"),
        "key_env": (
            lambda value: isinstance(value, str) and KEY_ENV.fullmatch(value) is not None,
            "names a variable that ends in _API_KEY, never the key itself",
        ),
        "key_file": (
            lambda value: isinstance(value, str) and KEY_FILE.fullmatch(value) is not None,
            "is the whole path of a file whose name ends in _api_key, never the key itself",
        ),
        "key_ring": (
            lambda value: isinstance(value, str) and KEY_RING.fullmatch(value) is not None,
            "is the name of an entry of the keyring, which ends in _api_key, never the key itself",
        ),
        "base_url": (_address, "is an address that begins with http:// or https://, with no user or password in it"),
        "timeout": _SECONDS,
        "deadline": _SECONDS,
        "max_tokens": _WHOLE,
        "context_bytes": _WHOLE,
        "context_tokens": _WHOLE,
        "instructions": _TEXT,
        "price_in": _PRICE,
        "price_out": _PRICE,
    }
)
_SCRIPT: Rule = (
    lambda value: isinstance(value, list) and value != [] and all(isinstance(steps, list) for steps in value),
    "is needed: a list of steps for each attempt",
)
_PAUSE: Rule = (
    lambda value: _number(value) and 0 <= value <= LONGEST_PAUSE,
    f"is a number of seconds up to {LONGEST_PAUSE:.0f}",
)
SETTINGS: Mapping[str, Mapping[str, Rule]] = MappingProxyType(
    {"mirror": {"pause": _PAUSE}, "scripted": {"script": _SCRIPT}, "openai": _OF_MODELS, "anthropic": _OF_MODELS}
)
#: An empty value of any other setting is as good as none.
_NEEDED = ("model", "script")


def fits(name: str, value: object) -> bool:
    """Whether a value may stand for that setting of a model."""
    return _OF_MODELS[name][0](value)


def fault(provider: str, settings: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first setting that this provider would not run with, and why; None where it would. The value is not told."""
    rules = SETTINGS[provider]
    unknown = next((name for name in settings if name not in rules), None)
    if unknown is not None:
        return unknown, f"is no setting of {provider}, which takes {', '.join(rules)}"
    for name, (fitting, words) in rules.items():
        value = settings.get(name)
        if (name in _NEEDED or value not in (None, "")) and not fitting(value):
            return name, words
    return _without_key(settings) if provider in MODELS else None


def _without_key(settings: Mapping[str, Any]) -> tuple[str, str] | None:
    """A public service wants a key. One's own server may want none, and another does where the settings say so."""
    places = [name for name in KEY_PLACES if settings.get(name)]
    if len(places) > 1:
        return places[1], f"goes without {places[0]}: the key is in one place"
    if places:
        return None
    address = settings.get("base_url")
    if address and ("key_env" in settings or is_own(_host(address))):
        return None
    words = "is needed: the name of the variable, in the environment of the agents, that holds the key"
    return "key_env", f'{words}; "" where the server wants none' if address else words


def is_own(host: str) -> bool:
    """Whether a host's name or number says that it is this machine, or one of this network."""
    try:
        number = ip_address(host)
    except ValueError:
        return "." not in host or host.endswith(_OWN)
    return number.is_loopback or number.is_private or number.is_link_local
