"""Bringing several people-only messages to an agent: one preview of all, one reason, each changed for itself."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.text import capfirst
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from collab.api import refuse
from collab.web import viewing
from collab.web.contents import bring_to
from collab.web.forms import Hearers
from collab.web.presenters import ahead
from collab.web.presenters.choices import choices
from collab.web.presenters.company import Company
from collab.web.presenters.deeds import open_to
from collab.web.views.deeds import let_hear
from collab.web.views.door import for_people
from messaging.actions.draft import Refusal
from messaging.domain.audience import Kind
from messaging.roster import access
from messaging.roster.access import Forbidden, Hidden, Viewer
from messaging.roster.models import Session
from messaging.transcript import read
from messaging.transcript.view import MessageView

#: Messages brought in one go, and people-only messages offered.
MOST = 50


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one of them; no `problem` where it is done."""

    message: MessageView
    problem: str = ""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@for_people
def bring(request: HttpRequest, viewer: Viewer, slug: str) -> HttpResponse:
    """Choose messages, then with `m` for each see them as the agent will; posted, each is changed. `part`: the form."""
    session = access.session(viewer, slug)
    here = viewing.speaking(viewer, session)
    if not bring_to(here):
        raise Forbidden("no_capability", "Your role here does not bring messages to agents.", "reclassify", session.id)
    given = request.POST if request.method == "POST" else request.GET
    chosen = _chosen(viewer, session, here, given.getlist("m"))
    if request.method != "POST" or not chosen:
        return _page(request, viewer, session, here, chosen=chosen)
    form = Hearers(request.POST)
    if not form.is_valid() or form.cleaned_data["audience"] == "participants":
        words = "Choose who hears them." if "audience" in form.errors else "Say why, in a few words."
        return _page(request, viewer, session, here, 422, chosen=chosen, problem=words)
    outcomes = [_one(viewer, message, form.cleaned_data) for message in chosen]
    kept = [one.message for one in outcomes if one.problem]
    return _page(request, viewer, session, here, chosen=kept, outcomes=outcomes)


def _one(viewer: Viewer, message: MessageView, given: dict[str, str]) -> Outcome:
    """One of them; that it cannot be brought keeps none of the others back."""
    try:
        let_hear(viewer, message.id, given["audience"], given["reason"], message.revision)
    except Refusal as refusal:
        refuse.noted(viewer, refusal)
        return Outcome(message, capfirst(refusal.detail))
    except Forbidden as error:
        refuse.noted(viewer, error)
        return Outcome(message, error.detail)
    return Outcome(message)


def _may_bring(here: Company, message: MessageView) -> bool:
    return message.audience_kind == "participants" and any(deed.name == "hearers" for deed in open_to(here, message))


def _chosen(viewer: Viewer, session: Session, here: Company, keys: list[str]) -> list[MessageView]:
    """Those that the viewer may bring, in the order in which they were said; the rest looks absent."""
    found = []
    for key in dict.fromkeys(keys[:MOST]):
        try:
            message = read.message(viewer, key)
        except Hidden:
            continue
        if message.session == str(session.id) and _may_bring(here, message):
            found.append(message)
    return sorted(found, key=lambda message: message.seq)


def _page(
    request: HttpRequest,
    viewer: Viewer,
    session: Session,
    here: Company,
    status: int = 200,
    *,
    chosen: list[MessageView],
    **more: object,
) -> HttpResponse:
    only = chosen[0] if len(chosen) == 1 else None
    found = ahead.widenings(here, choices(here), "participants", only, len(chosen))
    offered = [one for one in read.page(viewer, session, only="human", limit=MOST).items if _may_bring(here, one)]
    shown = {
        "session": session,
        "bring_to": bring_to(here),
        "offered": offered,
        "chosen": chosen,
        "widenings": [one for one in found if one.choice.to_agent],
        # The way here names the active agent, where there is one to be asked.
        "given": request.POST if "audience" in request.POST else {"audience": Kind.ACTIVE_AGENT},
        "problem": "",
        **more,
    }
    template = "web/parts/_bring.html" if "part" in request.GET else "web/bring.html"
    return render(request, template, shown, status=status)
