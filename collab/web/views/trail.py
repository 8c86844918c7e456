"""Every step of one message."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collab.web.presenters.trail import trail
from collab.web.views.door import for_people
from messaging.roster import access
from messaging.roster.access import Hidden, Viewer
from messaging.transcript import read


@require_safe
@for_people
def show(request: HttpRequest, viewer: Viewer, slug: str, message: str) -> HttpResponse:
    """The trail as a page, or with `part` only its lines; `agent` leaves one agent's."""
    session = access.session(viewer, slug)
    view = read.message(viewer, message)
    if view.session != str(session.id):
        raise Hidden
    steps = trail(read.history(viewer, message), view, request.GET.get("agent", ""))
    template = "web/parts/_trail.html" if "part" in request.GET else "web/trail.html"
    return render(request, template, {"session": session, "message": view, "steps": steps})
