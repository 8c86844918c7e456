"""The switch that has all hosted agents pause, and go on."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from collab.api import refuse
from messaging.actions.pause_agents import pause_agents, resume_agents
from messaging.roster.access import Forbidden, Hidden, viewer_of_account
from messaging.roster.models import Account

PAUSED = "All hosted agents are paused. What they are asked is kept; turns that run are finished."
RESUMED = "All hosted agents go on with what waits."


@require_POST
def pause(request: HttpRequest) -> HttpResponse:
    """Pauses them, or has them go on where `go_on` is sent. The verb asks whether it is the owner, or staff."""
    try:
        who = viewer_of_account(cast("Account", request.user))
    except Hidden:
        raise PermissionDenied("This login belongs to no person here.") from None
    verb, words = (resume_agents, RESUMED) if request.POST.get("go_on") else (pause_agents, PAUSED)
    try:
        verb(who)
    except Forbidden as error:
        refuse.noted(who, error)
        raise PermissionDenied(error.detail) from error
    messages.success(request, words)
    return redirect("status")
