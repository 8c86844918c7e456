"""The first agent with a model: what is found on this machine, and what else there is, each a form filled in so far."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlencode

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from collab.moderation import nearby
from messaging.roster.models import Agent

#: A cap to begin with: what a household's day takes, and no night's loop.
TURNS_A_DAY = 200
_ELSEWHERE = "An account there, and its key in keyring, environment or a file. What agents hear goes there."


@dataclass(frozen=True, slots=True)
class Way:
    """One way to a model: what it takes, and the form for it. `models`: of each one found, its name and its form."""

    title: str
    words: str
    form: str = ""
    models: list[tuple[str, str]] | None = None


def _form(**given: object) -> str:
    return f"{reverse('admin:roster_agent_add')}?{urlencode({'turns_a_day': TURNS_A_DAY, **given})}"


def _found(found: nearby.Ollama | None) -> Way:
    if found is None:
        words = "No Ollama answers here. Start it (ollama serve, ollama pull llama3.2) and look again, or name another."
        return Way(
            "On this machine",
            words,
            _form(provider="openai", base_url=f"http://127.0.0.1:{nearby.PORT}/v1", no_key="on"),
        )
    if not found.models:
        return Way("On this machine", "Ollama answers, and has no model yet: ollama pull llama3.2, then look again.")
    forms = [
        (name, _form(provider="openai", base_url=found.base_url, model=name, no_key="on", handle=_handle(name)))
        for name in found.models
    ]
    return Way("On this machine", f"Ollama answers at {found.base_url}. Nothing leaves your network.", models=forms)


def _handle(model: str) -> str:
    """A handle to begin with: `llama3-2` of `library/llama3.2:latest`."""
    name = model.partition(":")[0].rpartition("/")[2]
    return re.sub(r"[^A-Za-z0-9_-]", "-", name)[:32]


@require_safe
def begin(request: HttpRequest) -> HttpResponse:
    """For staff who may add agents: the ways to a model, the nearest first."""
    if not admin.site.get_model_admin(Agent).has_add_permission(request):
        raise PermissionDenied
    ways = [
        _found(nearby.ollama()),
        Way(
            "OpenAI",
            _ELSEWHERE,
            _form(provider="openai", key_env="OPENAI_API_KEY", handle="gpt"),
        ),
        Way(
            "Anthropic",
            _ELSEWHERE,
            _form(provider="anthropic", key_env="ANTHROPIC_API_KEY", handle="claude"),
        ),
        Way(
            "Another server",
            "vLLM, OpenRouter, or any that speaks OpenAI's way: its address and its key.",
            _form(provider="openai"),
        ),
    ]
    context = admin.site.each_context(request) | {"title": "Give Earshot a model", "ways": ways, "cap": TURNS_A_DAY}
    return render(request, "moderation/begin.html", context)
