"""An invitation's page: what it offers, and a button that takes it."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from collab.web.views.door import for_people
from messaging.actions.draft import Refusal
from messaging.actions.redeem import redeem
from messaging.roster import invitations
from messaging.roster.access import Hidden, Viewer


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@for_people
def join(request: HttpRequest, viewer: Viewer, code: str) -> HttpResponse:
    """Only the button joins: mail and chat programs fetch links to preview them."""
    try:
        if request.method == "POST":
            return redirect("web:session", redeem(viewer, code).slug)
        return _page(request, viewer, 200, offer=invitations.offer(code))
    except Hidden:
        words = "It does not exist, has expired, or was taken back. Nothing was changed. Ask for a new one."
        return _page(request, viewer, 404, problem=words)
    except Refusal as refusal:
        return _page(request, viewer, refusal.status, problem=refusal.detail)


def _page(request: HttpRequest, viewer: Viewer, status: int, **more: object) -> HttpResponse:
    return render(request, "web/join.html", {"me": viewer, **more}, status=status)
