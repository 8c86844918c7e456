"""What agents ask the viewer: wherever it comes from, on one page, and answered from there or from its session."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import capfirst
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from collab.api import refuse
from collab.web.presenters.asked import asked
from collab.web.views.door import for_people
from messaging.actions.answer_ask import answer_ask
from messaging.actions.draft import Refusal
from messaging.actions.show_asks import show_asks
from messaging.domain.ask import AskState, Surface
from messaging.domain.handle import is_slug
from messaging.roster import access
from messaging.roster.access import Viewer


@never_cache
@require_safe
@for_people
def index(request: HttpRequest, viewer: Viewer) -> HttpResponse:
    """Those that wait, and what became of the newest others."""
    return _page(request, viewer)


@require_POST
@for_people
def answer(request: HttpRequest, viewer: Viewer, ask: str) -> HttpResponse:
    """One of the options; then back to where it was answered. A refusal shows the page, with what waits now."""
    given = request.POST
    try:
        done = answer_ask(viewer, ask, given.get("choice", ""), Surface.WEB, given.get("digest", ""))
    except Refusal as refusal:
        refuse.noted(viewer, refusal)
        return _page(request, viewer, capfirst(refusal.detail), refusal.status)
    shown = asked(done)
    messages.success(request, f"{shown.head}: {shown.ended[:1].lower()}{shown.ended[1:]}.")
    back = given.get("back", "")
    return redirect("web:session", back) if is_slug(back) else redirect("web:asks")


def _page(request: HttpRequest, viewer: Viewer, problem: str = "", status: int = 200) -> HttpResponse:
    found = show_asks(viewer, Surface.WEB)
    places = {str(one.id): one for one in access.sessions(viewer)}
    shown = {
        "me": viewer,
        "open": [(one, places.get(one.session)) for one in found if one.state == AskState.OPEN],
        "ended": [(one, places.get(one.session)) for one in found if one.state != AskState.OPEN],
        "problem": problem,
    }
    return render(request, "web/asks.html", shown, status=status)
