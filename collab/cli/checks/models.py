"""The keys of models: their variables are named in agents' settings and have to be there, which is all that is told."""

from __future__ import annotations

import os

from collab.cli.checks.line import Line, failed, ok

WHAT = "models' keys"
WITH_KEYS = ("openai", "anthropic")


def models() -> list[Line]:
    """For each enabled hosted agent that calls a model, whether the variable of its key is set here."""
    from messaging.roster.models import Agent

    hosted = Agent.objects.filter(kind=Agent.Kind.HOSTED, enabled=True).select_related("handle")
    callers = hosted.filter(provider__in=WITH_KEYS).order_by("handle__spelled")
    lines = [_of(agent.handle.spelled, agent.settings) for agent in callers]
    return lines or [ok(WHAT, "no agent here calls a model")]


def _of(handle: str, settings: dict[str, object]) -> Line:
    variable, file, entry = (settings.get(name) for name in ("key_env", "key_file", "key_ring"))
    if file:
        return ok(WHAT, f"{handle} takes it from {file}, which the agents' process alone looks into")
    if entry:
        return ok(WHAT, f"{handle} takes it from {entry} in the keyring, which the agents' process alone looks into")
    if not variable:
        if settings.get("base_url"):
            return ok(WHAT, f"{handle} needs none for an address of its own")
        return failed(WHAT, f"{handle} has neither key_env nor base_url in its settings: name the variable of its key")
    if not os.environ.get(str(variable)):
        return failed(WHAT, f"{handle} wants {variable}, which is not set here: set it where the agents start")
    return ok(WHAT, f"{handle} finds {variable}")
