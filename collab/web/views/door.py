"""Who stands before a page. Hidden and absent answer alike."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse

from collab.api import refuse
from collab.web.views.errors import no_person, not_allowed
from messaging.roster.access import Forbidden, Hidden, Viewer, viewer_of_account

P = ParamSpec("P")
Page = Callable[Concatenate[HttpRequest, Viewer, P], HttpResponse]


def for_people(page: Page[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Gives a page its viewer, sends strangers to sign in, and turns Hidden into 404, Forbidden into 403."""

    @wraps(page)
    def opened(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        try:
            viewer = viewer_of_account(request.user)
        except Hidden:
            return no_person(request)
        try:
            return page(request, viewer, *args, **kwargs)
        except Hidden:
            raise Http404 from None
        except Forbidden as error:
            refuse.noted(viewer, error)
            return not_allowed(request, error.detail)

    return opened
