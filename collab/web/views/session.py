"""The session page."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from collab.numbers import number_of
from collab.web.contents import SHOWN, Writing, asks_here, frame, transcript, tray_alone
from collab.web.views.door import for_people
from messaging.roster import access
from messaging.roster.access import Hidden, Viewer
from messaging.roster.models import Session
from messaging.transcript import read
from messaging.transcript.view import MessageView

#: Parts that a page fetches again when something about them has changed.
PARTS = {
    "people": "web/parts/_people.html",
    "who": "web/parts/_choices.html",
    "bring": "web/parts/_bring_link.html",
    "checklist": "web/parts/_checklist.html",
    "tray": "web/parts/_tray.html",
    "asks": "web/parts/_asks.html",
}


#: Those that need nothing of the rest.
_ALONE = {"tray": tray_alone, "asks": asks_here}


@never_cache
@require_safe
@for_people
def show(request: HttpRequest, viewer: Viewer, slug: str) -> HttpResponse:
    """Transcript, composer, people and agents."""
    session = access.session(viewer, slug)
    if slug != session.slug:
        return redirect("web:session", session.slug)
    return page(request, viewer, session, Writing(reply=parent(viewer, session, request.GET.get("reply", ""))))


def page(request: HttpRequest, viewer: Viewer, session: Session, writing: Writing, status: int = 200) -> HttpResponse:
    """The page with a composer in a given state."""
    wanted = request.GET.get("show", "")
    context = frame(viewer, session, request, writing)
    context |= transcript(
        viewer, session, number_of(request.GET.get("before", "")), wanted if wanted in SHOWN else "all"
    )
    return render(request, "web/session.html", context, status=status)


@never_cache
@require_safe
@for_people
def part(request: HttpRequest, viewer: Viewer, slug: str, name: str) -> HttpResponse:
    """One part of the page as it would stand there now."""
    session = access.session(viewer, slug)
    if name not in PARTS:
        raise Http404
    if name in _ALONE:
        return render(request, PARTS[name], _ALONE[name](viewer, session))
    return render(
        request, PARTS[name], frame(viewer, session, request, Writing(audience=request.GET.get("chosen", "")))
    )


def parent(viewer: Viewer, session: Session, message: str) -> MessageView | None:
    """What is replied to, if the viewer can see it here; otherwise the composer is simply empty."""
    try:
        found = read.message(viewer, message) if message else None
    except Hidden:
        return None
    return found if found and found.session == str(session.id) and not found.deleted_at else None
