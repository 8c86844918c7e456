"""The composer's form, for browsers in which scripts do not run."""

from __future__ import annotations

from typing import Any

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.text import capfirst
from django.views.decorators.http import require_POST

from collab.api import refuse
from collab.processes.writer import post_one
from collab.web.contents import Writing
from collab.web.forms import Say
from collab.web.presenters.choice import dispatch_of, spoken
from collab.web.presenters.ways import meant
from collab.web.views.door import for_people
from collab.web.views.session import page, parent
from messaging.actions.draft import Draft, Refusal
from messaging.roster import access
from messaging.roster.access import Viewer
from messaging.roster.models import Session


@require_POST
@for_people
def say(request: HttpRequest, viewer: Viewer, slug: str) -> HttpResponse:
    """Posts one message and goes back to it; a refusal brings the page back with the text kept."""
    session = access.session(viewer, slug)
    form = Say(request.POST)
    if not form.is_valid():
        words = "Choose who hears this." if "audience" in form.errors else "Write something first."
        return page(request, viewer, session, _again(request, viewer, session, words), status=422)
    try:
        posted = post_one(_draft(viewer, slug, form.cleaned_data, _way(request)))
    except (Refusal, OperationalError, InterfaceError) as error:
        refusal = error if isinstance(error, Refusal) else Refusal.unavailable()
        refuse.noted(viewer, refusal, session.id)
        again = _again(request, viewer, session, f"{capfirst(refusal.detail)} Your text is kept.")
        answer = page(request, viewer, session, again, refusal.status)
        if refusal.retry_after:
            answer["Retry-After"] = str(refusal.retry_after)
        return answer
    return redirect(f"{reverse('web:session', args=[session.slug])}#m-{posted.message.id}")


def _way(request: HttpRequest) -> str:
    """How the chosen agent is to be called: each choice that takes a mode has a field of its own for it."""
    return str(request.POST.get(f"way:{request.POST.get('audience', '')}", ""))


def _draft(viewer: Viewer, slug: str, given: dict[str, Any], way: str) -> Draft:
    audience, dispatch = meant(way) if way else (str(given["audience"]), given["dispatch"])
    return Draft(
        viewer,
        slug,
        given["text"].replace("\r\n", "\n"),
        said=spoken(audience),
        dispatch=dispatch or dispatch_of(audience),
        client_key=given["client_key"],
        reply_to=given["reply_to"],
        delivery=(given["delivery"] or "queue") if audience == "active_agent" else "queue",
        source={"client": "web"},
    )


def _again(request: HttpRequest, viewer: Viewer, session: Session, problem: str) -> Writing:
    """A fresh key: the text that comes back may be changed, and then it is another request."""
    given = request.POST
    reply = parent(viewer, session, given.get("reply_to", ""))
    return Writing(
        text=given.get("text", ""),
        audience=given.get("audience", ""),
        way=_way(request),
        problem=problem,
        delivery=given.get("delivery", "queue"),
        reply=reply,
    )
