"""The list of sessions, and a new one."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import capfirst
from django.views.decorators.http import require_POST, require_safe

from collab.web.forms import Opening
from collab.web.views.door import for_people
from messaging.actions.enrol import Taken
from messaging.actions.open_session import Beginning, open_session
from messaging.domain.title import UNTITLED, By
from messaging.roster import access, lookup
from messaging.roster.access import Viewer
from messaging.roster.models import Person
from messaging.transcript import asks


@require_safe
@for_people
def index(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """Every session that the viewer is in."""
    return _page(request, viewer)


@require_POST
@for_people
def open_one(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """Opens a session of the viewer's. Without a title its agent proposes one, once it knows what it is about."""
    form = Opening(request.POST)
    if not form.is_valid():
        return _page(request, viewer, "A title has at most 120 characters, none of which is a control character.", 422)
    title, handle = form.cleaned_data["title"].strip(), form.cleaned_data["agent"]
    agent = lookup.agent(handle) if handle else None
    if handle and agent is None:
        return _page(request, viewer, "That agent is not in use any more.", 422)
    owner = Person.objects.select_related("handle").get(id=viewer.id)
    beginning = Beginning(By.PERSON if title else By.NOBODY)
    try:
        made = open_session(owner, title=title or UNTITLED, active_agent=agent, beginning=beginning)
    except Taken as error:
        return _page(request, viewer, f"{capfirst(str(error))}.", 409)
    except ValidationError as error:
        return _page(request, viewer, f"{capfirst(error.messages[0])}.", 422)
    return redirect("web:session", made.slug)


def _page(request: HttpRequest, viewer: Viewer, problem: str = "", status: int = 200) -> HttpResponse:
    shown = {
        "sessions": access.sessions(viewer),
        "me": viewer,
        "agents": [one for one in lookup.agents() if one.enabled],
        "staff": bool(getattr(request.user, "is_staff", False)),
        "given": request.POST,
        "asks": asks.of(viewer, only_open=True).count(),
        "problem": problem,
    }
    return render(request, "web/sessions.html", shown, status=status)
