"""Stopping agents and starting them afresh, by forms; the session's page does it by script."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from collab.api import refuse
from collab.web.views.door import for_people
from messaging.actions import fresh_start as freshly
from messaging.actions import stop as stopping
from messaging.actions.draft import Refusal
from messaging.roster import access
from messaging.roster.access import Viewer


@require_POST
@for_people
def stop(request: HttpRequest, viewer: Viewer, slug: str) -> HttpResponse:
    """Stops one's own turn, or with `scope=session` all of the session's."""
    session = access.session(viewer, slug)
    stopping.stop(viewer, session, stopping.SESSION if request.POST.get("scope") == stopping.SESSION else None)
    return redirect("web:session", session.slug)


@require_POST
@for_people
def new(request: HttpRequest, viewer: Viewer, slug: str) -> HttpResponse:
    """Starts the session's hosted agents afresh."""
    session = access.session(viewer, slug)
    try:
        freshly.fresh_start(viewer, session)
    except Refusal as refusal:
        refuse.noted(viewer, refusal, session.id)
        words = f"{refusal.detail} Nothing was changed."
        return render(request, "web/problem.html", {"title": "Not now", "words": words}, status=refusal.status)
    return redirect("web:session", session.slug)
