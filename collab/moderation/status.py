"""The page that shows staff what `earshot status` shows on a terminal."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collab.moderation.agent_life import warnings
from collab.processes import status as standing
from collab.processes.status import Status, age, held

Table = dict[str, list[Any]]


@require_safe
def status(request: HttpRequest) -> HttpResponse:
    """Who runs, what waits, which turns run. For staff: the route is behind the admin's own door."""
    seen = standing.look(settings.ENVIRONMENT)
    context = admin.site.each_context(request) | {
        "title": "Status",
        "seen": seen,
        "warnings": warnings() if seen.database and not seen.pending else [],
        "processes": _processes(seen),
        "queues": _queues(seen),
        "turns": _turns(seen),
    }
    return render(request, "moderation/status.html", context)


def _processes(seen: Status) -> Table:
    rows = [
        [
            f"{one.role} at {one.placement}" if one.placement else one.role,
            one.host,
            one.pid,
            one.version,
            f"{one.since:%Y-%m-%d %H:%M:%S}" if one.since else "-",
        ]
        for one in seen.processes
    ]
    return {"headers": ["role", "machine", "process", "version", "since (UTC)"], "rows": rows}


def _queues(seen: Status) -> Table:
    rows = [
        [standing.WORDS.get(one.name, one.name), one.rows, age(seen.at, one.oldest) if one.oldest else "-"]
        for one in seen.queues
    ]
    return {"headers": ["queue", "rows", "the oldest for"], "rows": rows}


def _turns(seen: Status) -> Table:
    rows = [[one.agent, age(seen.at, one.started_at), one.attempts, held(one)] for one in seen.turns]
    return {"headers": ["agent", "for", "attempt", "lease"], "rows": rows}
