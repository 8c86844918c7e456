"""The list of sessions."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collab.web.views.door import for_people
from messaging.roster import access
from messaging.roster.access import Viewer


@require_safe
@for_people
def index(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """Every session that the viewer is in."""
    return render(request, "web/sessions.html", {"sessions": access.sessions(viewer), "me": viewer})
