"""Doing something to a message: a page with one form, which the session's page shows in place."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import capfirst
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from collab.api import refuse
from collab.web import doing
from collab.web.forms import Delete, Edit, Hearers
from collab.web.presenters import ahead
from collab.web.presenters.choice import AND, spoken
from collab.web.presenters.choices import choices
from collab.web.presenters.company import Company
from collab.web.presenters.deeds import Deed, deeds, open_to
from collab.web.views.door import for_people
from messaging.actions.delete import delete
from messaging.actions.draft import Refusal
from messaging.actions.edit import edit
from messaging.actions.reclassify import reclassify
from messaging.actions.resend import resend
from messaging.actions.supersede import supersede
from messaging.roster import access
from messaging.roster.access import Forbidden, Hidden, Viewer
from messaging.roster.models import Session
from messaging.transcript import read
from messaging.transcript.view import MessageView

#: What each deed does with what its form gave.
_DO: Mapping[str, Callable[[Viewer, str, dict[str, Any]], MessageView]] = {
    "edit": lambda who, key, given: edit(who, key, given["text"].replace("\r\n", "\n"), given["revision"]),
    "withdraw": lambda who, key, given: supersede(who, key),  # noqa: ARG005 -- all have one shape
    "again": lambda who, key, given: resend(who, key),  # noqa: ARG005 -- all have one shape
    "delete": lambda who, key, given: delete(who, key, given["reason"]),
    "hearers": lambda who, key, given: let_hear(who, key, given["audience"], given["reason"], given["revision"]),
}
_FORMS: Mapping[str, type[forms.Form]] = {"edit": Edit, "delete": Delete, "hearers": Hearers}
_MISSING = {"text": "Write something first.", "audience": "Choose who hears it.", "reason": "Say why, in a few words."}
_TOO_LATE = "This cannot be done with it (any more). Nothing was changed."


@dataclass(frozen=True, slots=True)
class Place:
    """The message that a page is about, and who looks at it."""

    viewer: Viewer
    session: Session
    message: MessageView
    here: Company


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@for_people
def deed(request: HttpRequest, viewer: Viewer, slug: str, message: str, name: str) -> HttpResponse:
    """The form of one deed; posted, the deed, and back to the message. With `part` the form alone."""
    place = _place(viewer, slug, message)
    if name not in _DO:
        raise Http404
    if request.method != "POST":
        return _ask(request, place, name)
    form = _FORMS.get(name, forms.Form)(request.POST)
    if not form.is_valid():
        words = next((_MISSING[field] for field in form.errors if field in _MISSING), "Something is missing.")
        return _page(request, place, name, 422, words)
    try:
        _DO[name](viewer, place.message.id, form.cleaned_data)
    except Refusal as refusal:
        refuse.noted(viewer, refusal, place.session.id)
        return _page(request, place, name, refusal.status, capfirst(refusal.detail))
    return redirect(f"{reverse('web:session', args=[place.session.slug])}#m-{place.message.id}")


def let_hear(who: Viewer, key: str, audience: str, reason: str, revision: int | None) -> MessageView:
    """Gives a message a new audience. The form's one button says whom it lets hear: that is the confirmation."""
    dispatch = "future_turn" if audience.startswith("agent:") else ""
    return reclassify(who, key, spoken(audience), reason, confirm=True, dispatch=dispatch, revision=revision)


def _place(viewer: Viewer, slug: str, message: str) -> Place:
    session = access.session(viewer, slug)
    view = read.message(viewer, message)
    if view.session != str(session.id):
        raise Hidden
    return Place(viewer, session, view, doing.company(viewer, session))


def _ask(request: HttpRequest, place: Place, name: str) -> HttpResponse:
    who = doing.doer(place.here)
    turns = {turn.id for turn in doing.running(place.viewer, place.session)}
    if name in {one.name for one in open_to(who, place.message, turns)}:
        return _page(request, place, name, 200, "")
    known = next((one for one in deeds(place.message) if one.name == name), None)
    if known is not None and not _ever(known, place):
        raise Forbidden("not_yours", "Your role here does not reach this message.", "", place.session.id)
    return _page(request, place, name, 409, _TOO_LATE)


def _ever(known: Deed, place: Place) -> bool:
    """Whether this viewer could do it at another time."""
    who, author = doing.doer(place.here), place.message.author
    mine = author.kind == "human" and author.id == who.handle
    takes = known.own if mine else known.others
    return takes is not None and takes <= who.may and (mine or who.reaches)


def _page(request: HttpRequest, place: Place, name: str, status: int, problem: str) -> HttpResponse:
    message = place.message
    now = AND.join([message.audience] if isinstance(message.audience, str) else message.audience)
    shown = {
        "session": place.session,
        "message": message,
        "name": name,
        "problem": problem,
        "given": request.POST,
        "mine": message.author.kind == "human" and message.author.id == place.viewer.handle,
        "ahead": ahead.before_edit(message) if name == "edit" else ahead.before_delete(message),
        "widenings": ahead.widenings(place.here, choices(place.here), now, message) if name == "hearers" else [],
        "possible": not message.deleted_at and problem != _TOO_LATE,
    }
    template = f"web/parts/_deed_{name}.html" if "part" in request.GET else "web/deed.html"
    return render(request, template, shown, status=status)
