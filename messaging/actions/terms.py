"""What an agent is run by and kept to: checked alike for one that is added and one that is changed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError

from messaging.domain.call import Permission
from messaging.domain.dispatch import NAMESPACE, OFFERS, PLACEMENT
from messaging.domain.provider import PROVIDERS, fault
from messaging.domain.source import EVERY, is_name, source_of, tool_name
from messaging.domain.source import MAX_NAME as MAX_SOURCE
from messaging.domain.source import TOOL as OF_SOURCE
from messaging.domain.text import MAX_NAME, BadText, check_characters
from messaging.mailbox.models import Source
from messaging.roster.models import Agent

#: The characters of a field's name in a refusal: a setting's name is the caller's.
LONGEST_FIELD = 64
#: What may be changed of an agent once it is there.
CHANGEABLE = (
    "name",
    "provider",
    "settings",
    "owner",
    "modes",
    "namespaces",
    "tools",
    "sources",
    "placement",
    "turns_a_day",
    "tokens_a_day",
)
BOUNDS = ("turns_a_day", "tokens_a_day")
#: How a tool of the house is called; of those of sources, `domain.source` knows.
TOOL = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_LONGEST_TOOL = 64
_MOST = 2**31 - 1


def check(agent: Agent) -> None:
    """Raises ValidationError by the field, a setting's as `settings.<name>`, for an agent that could not be run so."""
    _check_name(agent.name)
    _check_provider(agent)
    _check_words("modes", agent.modes, OFFERS[agent.kind], f"takes {', '.join(sorted(OFFERS[agent.kind]))}")
    if agent.namespaces is not None and not all(NAMESPACE.fullmatch(str(one)) for one in agent.namespaces):
        raise ValidationError({"namespaces": "takes letters, digits, _, . and -, at most 32 for each"})
    if agent.tools is not None and not all(_is_tool(one, word) for one, word in agent.tools.items()):
        words = f"takes names of tools (of a source: source__tool or source__*), each with {', '.join(Permission)}"
        raise ValidationError({"tools": words})
    _check_sources(agent)
    _check_placement(agent)
    for name in BOUNDS:
        _check_bound(name, getattr(agent, name), agent)


def check_sources(names: Any) -> None:
    """Raises ValidationError on `sources` for a list with a name in it that no source has."""
    if not isinstance(names, list) or not all(isinstance(one, str) for one in names):
        raise ValidationError({"sources": "takes names of sources"})
    known = set(Source.objects.filter(name__in=names).values_list("name", flat=True))
    if unknown := sorted(set(names) - known):
        # A name is the caller's, and may be anything.
        raise ValidationError({"sources": f"names {unknown[0][:MAX_SOURCE]!r}, which is no source here"})


def _check_sources(agent: Agent) -> None:
    if agent.sources is None:
        return
    if agent.kind != Agent.Kind.HOSTED:
        raise ValidationError({"sources": "are for hosted agents: the others bring their own tools"})
    check_sources(agent.sources)


def _check_placement(agent: Agent) -> None:
    if not agent.placement:
        return
    if agent.kind != Agent.Kind.HOSTED:
        raise ValidationError({"placement": "is for hosted agents: the others run elsewhere"})
    if not PLACEMENT.fullmatch(agent.placement):
        raise ValidationError({"placement": "takes letters, digits, _, . and -, at most 32"})


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
    if not isinstance(name, str) or word not in list(Permission):
        return False
    source = source_of(name)
    if not source:
        return len(name) <= _LONGEST_TOOL and TOOL.fullmatch(name) is not None
    every = name == tool_name(source, EVERY)
    return is_name(source) and (every or (name != tool_name(source, "") and OF_SOURCE.fullmatch(name) is not None))


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
