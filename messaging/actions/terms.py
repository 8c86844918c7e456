"""What an agent is run by and kept to: checked alike for one that is added and one that is changed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError

from messaging.domain.call import Permission
from messaging.domain.dispatch import NAMESPACE, OFFERS
from messaging.domain.provider import PROVIDERS, fault
from messaging.domain.text import MAX_NAME, BadText, check_characters
from messaging.roster.models import Agent

#: The characters of a field's name in a refusal: a setting's name is the caller's.
LONGEST_FIELD = 64
#: What may be changed of an agent once it is there.
CHANGEABLE = ("name", "provider", "settings", "owner", "modes", "namespaces", "tools", "turns_a_day", "tokens_a_day")
BOUNDS = ("turns_a_day", "tokens_a_day")
TOOL = re.compile(r"[a-z][a-z0-9_]{0,63}")
_MOST = 2**31 - 1


def check(agent: Agent) -> None:
    """Raises ValidationError by the field, a setting's as `settings.<name>`, for an agent that could not be run so."""
    _check_name(agent.name)
    _check_provider(agent)
    _check_words("modes", agent.modes, OFFERS[agent.kind], f"takes {', '.join(sorted(OFFERS[agent.kind]))}")
    if agent.namespaces is not None and not all(NAMESPACE.fullmatch(str(one)) for one in agent.namespaces):
        raise ValidationError({"namespaces": "takes letters, digits, _, . and -, at most 32 for each"})
    if agent.tools is not None and not all(_is_tool(one, word) for one, word in agent.tools.items()):
        raise ValidationError({"tools": f"takes names of tools, each with {', '.join(Permission)}"})
    for name in BOUNDS:
        _check_bound(name, getattr(agent, name), agent)


def _check_name(name: str) -> None:
    try:
        check_characters(name)
    except BadText as error:
        raise ValidationError({"name": str(error)}) from error
    if not 1 <= len(name.strip()) <= MAX_NAME:
        raise ValidationError({"name": f"holds between 1 and {MAX_NAME} characters"})


def _check_provider(agent: Agent) -> None:
    if (agent.kind == Agent.Kind.HOSTED) != bool(agent.provider):
        raise ValidationError({"provider": "is for hosted agents, and they need one"})
    if agent.provider and agent.provider not in PROVIDERS:
        raise ValidationError({"provider": f"is not one of {', '.join(PROVIDERS)}"})
    found = fault(agent.provider, agent.settings) if agent.provider else None
    if found is not None:
        name, words = found
        raise ValidationError({f"settings.{name}"[:LONGEST_FIELD]: words})


def _check_words(field: str, given: Any, known: frozenset[Any], words: str) -> None:
    if given is not None and not (isinstance(given, list) and all(one in known for one in given)):
        raise ValidationError({field: words})


def _is_tool(name: Any, word: Any) -> bool:
    return isinstance(name, str) and TOOL.fullmatch(name) is not None and word in list(Permission)


def _check_bound(name: str, value: Any, agent: Agent) -> None:
    if value is None:
        return
    if agent.kind != Agent.Kind.HOSTED:
        raise ValidationError({name: "is for hosted agents: what others use up is not known here"})
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _MOST:
        raise ValidationError({name: "is a whole number of at least 1"})


def told(before: Mapping[str, Any], agent: Agent) -> dict[str, list[Any]]:
    """What was changed, as the audit log has it: each value with what it was. Instructions are words: neither is."""
    pairs = {name: [_plain(old), _plain(getattr(agent, name))] for name, old in before.items() if name != "settings"}
    old, new = before.get("settings", agent.settings), agent.settings
    for name in sorted(old.keys() | new.keys()):
        if old.get(name) != new.get(name):
            quiet = name in ("instructions", "script")
            pairs[name] = ["", ""] if quiet else [old.get(name), new.get(name)]
    return pairs


def _plain(value: Any) -> Any:
    return value.handle.spelled if hasattr(value, "handle") else value
