"""Asking one of a session's agents where nobody else is."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from collab.web.views.door import for_people
from messaging.actions.ask_privately import ask_privately
from messaging.actions.draft import Refusal
from messaging.domain.capability import Capability
from messaging.roster import access, lookup
from messaging.roster.access import Hidden, Viewer


@require_POST
@for_people
def privately(request: HttpRequest, viewer: Viewer, slug: str) -> HttpResponse:
    """Leads to the session of the viewer and that agent alone. For who may ask agents here, and agents of here."""
    session, handle = access.session(viewer, slug), request.POST.get("agent", "")
    access.demand(viewer, session, Capability.POST_AGENT)
    row = lookup.member(session, handle) if "\x00" not in handle else None
    if row is None or row.agent is None:
        raise Hidden
    try:
        return redirect("web:session", ask_privately(viewer, handle).slug)
    except Refusal as refusal:
        context = {"title": "Not now", "words": f"{refusal.detail} Nothing was changed."}
        return render(request, "web/problem.html", context, status=refusal.status)
