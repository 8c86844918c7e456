"""Sources: named MCP servers and folders from which hosted agents get tools (decisions, "Dispatch").

What a source's settings may be, how many of its tools are taken, and what stays out.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any
from urllib.parse import urlsplit

from messaging.domain import provider
from messaging.domain.provider import Rule

#: How a source may be called. A tool of it is called by its name, two underlines and the tool's own.
NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
MAX_NAME = 32
#: What models take as the name of a tool.
TOOL = re.compile(r"[A-Za-z0-9_-]{1,64}")
BETWEEN = "__"
#: In the place of a tool's name: all of a source's tools that are not named themselves.
EVERY = "*"

#: Tools of one source, and bytes of a description and of a schema. A longer description is cut, a longer schema is not.
MAX_TOOLS, MAX_DESCRIPTION, MAX_SCHEMA = 128, 4 * 1024, 16 * 1024
#: Bytes of one message of a server, and of all that it sends for one request.
MAX_MESSAGE, MAX_TRAFFIC = 1024 * 1024, 4 * 1024 * 1024
#: Seconds that a call may last, unless the settings say otherwise, and at most; and that finding the tools may.
CALL_SECONDS, MOST_SECONDS, LISTING_SECONDS = 60.0, 600.0, 30.0
_MOST_WORDS, _LONGEST_WORD, _MOST_VARIABLES = 64, 4096, 32

#: A program never gets these, whatever its source names: they open what is Earshot's.
_OWN_VARIABLES = frozenset({"DATABASE_URL", "REDIS_URL", "SECRET_KEY", "EMAIL_URL"})
_OWN_PREFIXES = ("EARSHOT_", "AGENTS_", "DJANGO_")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
#: Folders whose files are no files: they tell of processes, their variables included.
_OF_THE_SYSTEM = ("/proc", "/sys", "/dev")
#: Names by which keys lie in files: no folder shows them.
KEPT_SECRET = re.compile(r".*_api_key|secret_key", re.DOTALL)
#: Faults that may be gone at the next look.
PASSING = frozenset({"source_unreachable", "source_timeout", "source_ended"})


class Transport(StrEnum):
    """How a source is reached: a program that is started, a server, or a folder that is read."""

    STDIO = "stdio"
    HTTP = "http"
    FOLDER = "folder"


class LeftOut(StrEnum):
    """Why a tool that a source has is offered to nobody."""

    NAME = "name"
    SCHEMA = "schema"
    TWICE = "twice"


#: The same in words.
LEFT_OUT: Mapping[str, str] = MappingProxyType(
    {
        LeftOut.NAME: "models take no tool of this name",
        LeftOut.SCHEMA: "what it takes cannot be told to a model: the schema is too long or not plain",
        LeftOut.TWICE: "another tool has this name already",
    }
)


def tool_name(source: str, tool: str) -> str:
    """By what name policies, models and people call a source's tool."""
    return f"{source}{BETWEEN}{tool}"


def source_of(name: str) -> str:
    """The source whose tool is called so; empty for a tool of the house."""
    source, between, _ = name.partition(BETWEEN)
    return source if between else ""


def is_name(name: str) -> bool:
    """Whether a source may be called so."""
    return len(name) <= MAX_NAME and NAME.fullmatch(name) is not None


def may_pass(variable: str) -> bool:
    """Whether a variable of the agents' environment may be passed on to a program."""
    return variable not in _OWN_VARIABLES and not variable.startswith(_OWN_PREFIXES)


def _is_word(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_WORD and "\0" not in value


def _is_command(value: object) -> bool:
    """A program by its whole path or to be found on PATH: it begins in a folder of its own, which is empty."""
    if not isinstance(value, list) or not 1 <= len(value) <= _MOST_WORDS or not all(map(_is_word, value)):
        return False
    return value[0] != "" and ("/" not in value[0] or value[0].startswith("/"))


def _are_variables(value: object) -> bool:
    if not isinstance(value, list) or len(value) > _MOST_VARIABLES:
        return False
    return all(isinstance(one, str) and _VARIABLE.fullmatch(one) and may_pass(one) for one in value)


def _is_folder(value: object) -> bool:
    if not _is_word(value) or not isinstance(value, str) or not value.startswith("/"):
        return False
    parts = value.split("/")[1:]
    if value != posixpath.normpath(value) or not parts[0] or any(one.startswith(".") for one in parts):
        return False
    return not any(value == one or value.startswith(f"{one}/") for one in _OF_THE_SYSTEM)


def _is_timeout(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= MOST_SECONDS


_TIMEOUT: Rule = (_is_timeout, f"is a number of seconds above 0, up to {MOST_SECONDS:.0f}")
SETTINGS: Mapping[str, Mapping[str, Rule]] = MappingProxyType(
    {
        Transport.STDIO: {
            "command": (
                _is_command,
                "is needed: a list, the program by its whole path or a name on PATH, then what it is given",
            ),
            "env": (_are_variables, "is a list of names of variables, none of them Earshot's own"),
            "timeout": _TIMEOUT,
        },
        Transport.HTTP: {
            "url": (
                lambda value: bool(value) and provider.fits("base_url", value),
                "is needed: an address that begins with http:// or https://, with no user or password in it",
            ),
            "key_env": (
                lambda value: provider.fits("key_env", value),
                "names a variable that ends in _API_KEY, never the key itself",
            ),
            "key_file": (
                lambda value: provider.fits("key_file", value),
                "is the whole path of a file whose name ends in _api_key, never the key itself",
            ),
            "no_key": (lambda value: isinstance(value, bool), "is true where the server wants no key"),
            "timeout": _TIMEOUT,
        },
        Transport.FOLDER: {
            "path": (
                _is_folder,
                "is needed: the whole path of a folder, without . or .. and with no hidden folder in it",
            ),
        },
    }
)
_NEEDED = ("command", "url", "path")


def fault(transport: str, settings: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first setting that no source could be reached with, and why; None where it could. The value is not told."""
    rules = SETTINGS[transport]
    unknown = next((name for name in settings if name not in rules), None)
    if unknown is not None:
        return unknown, f"is no setting of {transport}, which takes {', '.join(rules)}"
    for name, (fitting, words) in rules.items():
        value = settings.get(name)
        if (name in _NEEDED or value not in (None, "")) and not fitting(value):
            return name, words
    return _key_fault(settings) if transport == Transport.HTTP else None


def _key_fault(settings: Mapping[str, Any]) -> tuple[str, str] | None:
    """The key is in one place; a server that is not one's own has one, unless the settings say that it wants none."""
    ways = [name for name in ("key_env", "key_file", "no_key") if settings.get(name)]
    if len(ways) > 1:
        return ways[1], f"goes without {ways[0]}: the key is in one place"
    if ways or provider.is_own(urlsplit(settings["url"]).hostname or ""):
        return None
    return "key_env", "is needed: the name of the variable that holds the key; no_key where the server wants none"


def seconds(settings: Mapping[str, Any]) -> float:
    """How long a call of a source's tool may last."""
    return float(settings.get("timeout") or CALL_SECONDS)
