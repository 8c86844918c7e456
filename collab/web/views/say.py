"""The composer's form, for browsers in which scripts do not run."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from collab.web.forms import Say
from collab.web.room import Writing
from collab.web.views.door import for_people
from collab.web.views.session import page
from messaging.actions.draft import Draft, Refusal
from messaging.actions.post import post_one
from messaging.roster import access
from messaging.roster.access import Viewer


@require_POST
@for_people
def say(request: HttpRequest, viewer: Viewer, slug: str) -> HttpResponse:
    """Posts one message and goes back to it; a refusal brings the page back with the text kept."""
    session = access.session(viewer, slug)
    form = Say(request.POST)
    if not form.is_valid():
        return page(request, viewer, session, _again(request, "Write something first."), status=422)
    try:
        posted = post_one(_draft(viewer, slug, form.cleaned_data))
    except Refusal as refusal:
        answer = page(request, viewer, session, _again(request, f"{refusal.detail} Your text is kept."), refusal.status)
        if refusal.retry_after:
            answer["Retry-After"] = str(refusal.retry_after)
        return answer
    return redirect(f"{reverse('web:session', args=[session.slug])}#m-{posted.message.id}")


def _draft(viewer: Viewer, slug: str, given: dict[str, Any]) -> Draft:
    """`agent:` in this form means a future turn; the form says so in its words, the draft in its field."""
    audience = str(given["audience"])
    return Draft(
        viewer,
        slug,
        given["text"].replace("\r\n", "\n"),
        said=audience,
        dispatch="future_turn" if audience.startswith("agent:") else "",
        client_key=given["client_key"],
        reply_to=given["reply_to"],
        source={"client": "web"},
    )


def _again(request: HttpRequest, problem: str) -> Writing:
    """A fresh key: the text that comes back may be changed, and then it is another request."""
    return Writing(text=request.POST.get("text", ""), audience=request.POST.get("audience", ""), problem=problem)
