"""Every step of one message."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from collab.web import viewing
from collab.web.presenters.deeds import open_to
from collab.web.presenters.trail import trail
from collab.web.views.door import for_people
from messaging.domain.capability import Capability
from messaging.roster import access
from messaging.roster.access import Hidden, Viewer
from messaging.transcript import marks, read
from messaging.transcript.history import history


@require_safe
@for_people
def show(request: HttpRequest, viewer: Viewer, slug: str, message: str) -> HttpResponse:
    """The trail as a page, or with `part` only its lines; `agent` leaves one agent's."""
    session = access.session(viewer, slug)
    view = read.message(viewer, message)
    if view.session != str(session.id):
        raise Hidden
    here = viewing.company(viewer, session)
    names = {member.handle: member.name for member in here.members}
    steps = trail(history(viewer, message), view, request.GET.get("agent", ""), names)
    shown = {"session": session, "message": view, "steps": steps}
    if "part" in request.GET:
        return render(request, "web/parts/_trail.html", shown)
    turns = read.running(viewer, session).keys()
    shown["may_fork"] = Capability.EXPORT in here.may and not view.deleted_at
    shown |= {"open": open_to(here, view, turns), "marks": marks.of([view]).get(view.id, marks.NONE)}
    return render(request, "web/trail.html", shown)
